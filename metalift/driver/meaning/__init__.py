"""Meanings of operators: typed Python functions, read as terms of the expression language and never executed."""
