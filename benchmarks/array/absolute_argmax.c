#include <math.h>

/* the first place of the greatest absolute value */
int absolute_argmax(int n, const double *x) {
    int i, at = 0;
    double best = fabs(x[0]);
    for (i = 1; i < n; ++i) {
        if (fabs(x[i]) > best) {
            at = i;
            best = fabs(x[i]);
        }
    }
    return at;
}
