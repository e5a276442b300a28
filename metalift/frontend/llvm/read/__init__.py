"""The text of a module as data: instructions, debug information, linker names. Nothing here knows what an instruction means."""
