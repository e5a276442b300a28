static int g(int n);

int f(int n) {
    return n <= 0 ? 0 : g(n - 1); // UNSUPPORTED near: recurs
}

static int g(int n) {
    return f(n) + 1;
}
