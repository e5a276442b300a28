"""Statements and expressions of Python, read in the order in which Python evaluates them."""
