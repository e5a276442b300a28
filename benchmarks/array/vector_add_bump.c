/* out = a + b */
void vector_add(const float *a, const float *b, float *out, unsigned int n) {
    while (n > 0u) {
        *out++ = *a++ + *b++;
        n--;
    }
}
