int f(int c) {
    int x; // UNSUPPORTED near: x
    if (c)
        x = 7;
    return x;
}
