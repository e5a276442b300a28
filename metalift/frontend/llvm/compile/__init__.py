"""From a file to the text of its LLVM IR: which compiler runs, with which options, and which files it may open."""
