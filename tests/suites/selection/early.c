/* Loops that data end early. */
#include <stddef.h>
#include <stdint.h>

int first_index(const int *x, int n, int v) {
    for (int i = 0; i < n; i++) {
        if (x[i] == v)
            return i;
    }
    return -1;
}

int differs(const uint8_t *a, const uint8_t *b, size_t n) {
    while (n--) {
        if (*a != *b)
            return 1;
        a++;
        b++;
    }
    return 0;
}

int inside(const float *p, const float *low, const float *high, int d) {
    for (int k = 0; k < d; k++)
        if (p[k] < low[k] || p[k] > high[k])
            return 0;
    return 1;
}

int sum_until(const int *x, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0)
            break;
        s += x[i];
    }
    return s;
}

long last_negative(const float *x, long n) {
    long i = n - 1;
    while (i >= 0 && x[i] >= 0.0f)
        i--;
    return i;
}
