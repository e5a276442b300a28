"""One module for each protocol, on its makers' client; a client is imported where a model of it is opened."""
