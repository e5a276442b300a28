"""What names of a module mean, and which statements change that."""
