"""PyTorch, read as the array code that it is: its names and defaults, what its functions are in terms of others, its dtypes.

A function has arrays of NumPy or tensors, never both. An element of a tensor is a tensor without axes that shares its memory.
"""
