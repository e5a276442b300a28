"""From source files to fragments."""
