"""The playground `metalift serve`: a page on this machine with a source at the left, and what comes of it at the right."""
