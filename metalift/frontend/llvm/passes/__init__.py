"""Passes that make ordinary instructions of what compilers and calling conventions do; each stands alone."""
