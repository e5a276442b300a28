"""What both front ends do with a fragment: its control flow in simple form, and scalars as machines have them."""
