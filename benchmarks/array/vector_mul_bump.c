/* out = a * b, four at a time */
void vector_mul(const float *a, const float *b, float *out, unsigned int n) {
    unsigned int block = n >> 2;
    while (block > 0u) {
        *out++ = *a++ * *b++;
        *out++ = *a++ * *b++;
        *out++ = *a++ * *b++;
        *out++ = *a++ * *b++;
        block--;
    }
    block = n % 4u;
    while (block > 0u) {
        *out++ = *a++ * *b++;
        block--;
    }
}
