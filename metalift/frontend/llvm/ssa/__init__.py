"""Changes of a function that several passes need: variables in registers, inlining, slices, places that pointers lead to."""
