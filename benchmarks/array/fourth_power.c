/* a to the fourth, in place */
void fourth_power(float *a, int n) {
    for (int i = 0; i < n; i++) {
        float s = a[i] * a[i];
        a[i] = s * s;
    }
}
