"""Objects of the file's own classes, and variables of its module, as the numbers and lists that they hold."""
