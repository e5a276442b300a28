/* pointers that stand for one array or another */

unsigned two(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) b[i] = a[i] + 3u * a[i - 1];
        unsigned *s = a;
        a = b;
        b = s;
    }
    return a[1];
}

unsigned three(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) c[i] = 2u * b[i] - a[i - 1];
        unsigned *s = a;
        a = b;
        b = c;
        c = s;
    }
    return 0;
}

unsigned starting_swapped(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    unsigned *p = b, *q = a;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) p[i] = q[i - 1] + 1u;
        unsigned *s = p;
        p = q;
        q = s;
    }
    p[0] = 7u;
    return q[1];
}

unsigned under_a_condition(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) b[i] = a[i] * a[i - 1];
        if (b[3] & 1u) {
            unsigned *s = a;
            a = b;
            b = s;
        }
    }
    return a[0];
}

unsigned a_third_for_one(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    unsigned *first = a;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) b[i] = a[i - 1] + first[i];
        unsigned *s = a;
        a = b;
        b = s;
    }
    return first[2];
}

unsigned both_one(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) b[i] = a[i - 1] + 1u;
        a = b;
    }
    return a[1];
}

unsigned copied_back(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    unsigned *p = a, *q = b;
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n; i++) q[i] = p[i] + p[i - 1];
        unsigned *s = p;
        p = q;
        q = s;
    }
    if (p != a)
        for (int i = 0; i < n; i++) a[i] = p[i];
    return 0;
}

unsigned a_local_buffer(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    unsigned other[8], *p = a, *q = other;
    for (int i = 0; i < 8; i++) other[i] = a[i];
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < 8; i++) q[i] = p[i] + 5u * p[i - 1];
        unsigned *s = p;
        p = q;
        q = s;
    }
    if (p != a)
        for (int i = 0; i < 8; i++) a[i] = p[i];
    return 0;
}

unsigned one_of_two(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    unsigned *p = steps > 2 ? a : b, sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    p[0] = sum;
    return sum;
}

unsigned walking(unsigned *a, unsigned *b, unsigned *c, int n, int steps) {
    unsigned sum = 0;
    for (int t = 0; t < steps; t++) {
        for (unsigned *p = a; p < a + n; p++) *p += sum += b[p - a];
        unsigned *s = a;
        a = b;
        b = s;
    }
    return sum;
}
