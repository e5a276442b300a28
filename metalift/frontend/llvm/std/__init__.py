"""What the containers and algorithms of C++ do, written as instructions on arrays, lengths and values at a key."""
