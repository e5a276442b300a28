"""Readers of statements and expressions, one for each topic, over what they share: `context`.

In the order in which they build on each other: `expressions`, `loops`, `lists`, `making`, `reductions`, `libraries`, `sorting`,
`calls`, `statements`.
"""
