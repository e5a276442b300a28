"""Concrete inputs of a fragment: which ones are tried, and what is known of the way that each takes."""
