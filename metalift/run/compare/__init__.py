"""Whether generated code computes what the source computes: cases, criteria, differences."""
