// claim: return = i32(int(a) % -3)
// expect: PROVED
int f(int a) {
    int r = a % 3;
    return r > 0 ? r - 3 : r;
}
