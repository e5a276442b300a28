"""The expression language: nodes, types, and how to build and go through them."""
