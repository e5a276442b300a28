int f(int x) {
    int y;
    __asm__("mov %1, %0" : "=r"(y) : "r"(x)); // UNSUPPORTED: assembly
    return y;
}
