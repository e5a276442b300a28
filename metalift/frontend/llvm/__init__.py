"""The front end for C and C++: clang compiles, and what a function does is read from its LLVM IR.

`compile` runs clang and the LLVM pass, `read` parses the text, `ssa` and `passes` rewrite instructions, `std` writes out what the
containers of the standard library do, `importer` makes a fragment of the result. `pipeline` has the order.
"""
