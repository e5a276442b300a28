"""Files, processes and command-line values: what is not about programs."""
