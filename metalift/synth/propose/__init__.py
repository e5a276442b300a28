"""Proposals of a language model, or of a person: prompt, answer, and the loop that sends back what is wrong.

In processing order: `vocabulary` names things in Python, `prompt` asks, `answer` finds the code in a reply, `reader` reads it as
a program (its expressions by `expressions`), `spelling` completes it in the driver's operators, `requirements` says what of it
may be assumed, `conversation` repeats this. An answer is never executed and never trusted: what is read is tested and proved
like any other candidate.
"""
