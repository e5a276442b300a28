"""Simpler expressions of the same value."""
