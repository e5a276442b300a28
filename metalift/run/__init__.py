"""Concrete runs: inputs, counterexamples, and the comparison of emitted code with the compiled source."""
