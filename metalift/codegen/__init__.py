"""From a program in a target's operators to source text."""
