"""`metalift batch`: suites of kernels, resumable, in processes that can be killed."""
