"""What is lifted and what it becomes: fragments, summaries, programs in operators, kernels on tiles."""
