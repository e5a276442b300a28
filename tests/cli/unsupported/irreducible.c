int f(int n, int c) { // UNSUPPORTED near: irreducible
    int s = 0;
    if (c)
        goto inside;
again:
    s += 2;
inside:
    s += 1;
    n--;
    if (n > 0)
        goto again;
    return s;
}
