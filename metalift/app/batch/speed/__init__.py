"""`--measure`: how fast generated code is, beside the source compiled by gcc, and which of them to use."""
