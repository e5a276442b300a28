#define TILE 64
static int min(int a, int b) { return a < b ? a : b; }

/* a sum by tiles */
float tiled_sum(const float *x, int n) {
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        for (int i = start; i < min(start + TILE, n); i++) {
            sum += x[i];
        }
    }
    return sum;
}
