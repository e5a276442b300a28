#include <math.h>

float length(const float *v, int n) {
    float squares = 0.0f;
    for (int i = 0; i < n; ++i) {
        squares += v[i] * v[i];
    }
    return sqrtf(squares);
}
