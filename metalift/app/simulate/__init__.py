"""Emitted kernels in the simulators of their machines."""
