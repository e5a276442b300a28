"""Suites of source kernels, each with a manifest, and the program that runs them."""
