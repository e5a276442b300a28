"""`metalift scan`: which functions and loop nests of a code base can be lifted, and why not the others."""
