#include <stdint.h>

void residual_add(int8_t *x, const int8_t *branch, int n) {
    for (int i = 0; i < n; i++) {
        int sum = x[i] + branch[i];
        x[i] = sum > INT8_MAX ? INT8_MAX : sum < INT8_MIN ? INT8_MIN : sum;
    }
}
