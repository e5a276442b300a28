int f(int (*op)(int), int x) {
    return op(x) + 1; // UNSUPPORTED near: function pointer
}
