#include <stdint.h>

void matvec(int8_t *y, const int8_t *w, const int8_t *x, int n, int d) {
    for (int i = 0; i < d; i++) {
        int sum = 0;
        for (int j = 0; j < n; j++)
            sum += w[i * n + j] * x[j];
        int rest = sum & 15;
        sum >>= 4;
        if (rest > 8 || (rest == 8 && (sum & 1)))
            sum++;
        y[i] = sum < -128 ? -128 : sum > 127 ? 127 : sum;
    }
}
