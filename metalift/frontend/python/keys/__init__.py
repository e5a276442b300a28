"""Dictionaries and sets: seen at one key, or as one value of all keys, by changes of the syntax tree."""
