#include <stdbool.h>

/* whether two arrays have the same elements */
bool equal(const float *a, const float *b, int n) {
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}
