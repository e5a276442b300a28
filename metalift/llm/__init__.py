"""Language models: whoever answers a prompt, within budgets, and a store of what was asked before."""
