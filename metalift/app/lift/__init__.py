"""The command `lift`: its arguments, and its output as one screen."""
