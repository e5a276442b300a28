"""From LLVM IR with variables in registers to a fragment: what each instruction and call means."""
