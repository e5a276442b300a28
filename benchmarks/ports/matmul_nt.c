void matmul_nt(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            const float *p = a + i * n, *q = b + j * n;
            for (int k = 0; k < n; k++)
                s += *p++ * *q++;
            c[i * n + j] = s;
        }
}
