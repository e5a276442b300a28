"""Which functions of the standard library a call means, by their linker names."""
