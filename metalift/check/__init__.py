"""What is claimed of a function, and whether that is proved: obligations, assumptions, certificates and their check.

Nothing here reaches the search, code generation or the command line: with `ir`, `vcgen`, `prove`, the front ends and the meanings
of a driver this is what a verdict rests on.
"""
