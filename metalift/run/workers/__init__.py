"""Processes in which sources and generated code run, confined and with limits."""
