"""The drivers that come with the project; each file or folder is one target language."""
