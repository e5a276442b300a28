float dot(const float *a, const float *b, int n) {
    float sum = 0.0f;
    while (n--) {
        sum += *a++ * *b++;
    }
    return sum;
}
