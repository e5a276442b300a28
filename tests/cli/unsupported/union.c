union both {
    int i;
    float f;
};

int f(float x) {
    union both u;
    u.f = x; // UNSUPPORTED near: union
    return u.i;
}
