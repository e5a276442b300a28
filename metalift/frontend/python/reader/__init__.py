"""Statements and expressions of Python, read in the order in which Python evaluates them: a reader for each topic over `context`.

In the order in which they build on each other: `expressions`, `loops`, `lists`, `making`, `reductions`, `libraries`, `sorting`,
`calls`, `statements`.
"""
