int f(int n) {
    return n <= 0 ? 0 : n + f(n - 1); // UNSUPPORTED: recurs
}
