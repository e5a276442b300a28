"""Obligations: what has to hold for a summary to be right. Shares no executor with the proposers."""
