"""What of each language is lifted: a table for docs/languages.md, whose cells are tried."""
