int f(int x) {
    asm volatile("nop"); // UNSUPPORTED: assembly
    return x;
}
