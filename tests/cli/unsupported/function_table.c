static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int (*const table[])(int) = {twice, square};

int f(int which, int x) {
    return table[which](x); // UNSUPPORTED: call
}
