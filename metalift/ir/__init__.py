"""The expression language, fragments and summaries; imports nothing else of the package."""
