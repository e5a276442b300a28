// claim: return = i32(int(a) % -3)
// expect: REFUTED
int f(int a) {
    int r = a % 3;
    return r < 0 ? r + 3 : r;
}
