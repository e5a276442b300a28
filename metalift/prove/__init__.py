"""From obligations to verdicts: encoding, solvers, lemmas, certificates."""
