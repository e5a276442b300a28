int f(volatile int *p) {
    int x = 0;
    x += *p; // UNSUPPORTED: volatile
    return x;
}
