"""metalift from Python: what `metalift.lift` takes and gives, the decorator `metalift.lifted`, and the magic of notebooks."""
