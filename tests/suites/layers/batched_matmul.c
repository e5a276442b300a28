void bmm(const float *a, const float *b, float *c, int B, int n, int m, int k)
{
    for (int z = 0; z < B; z++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                float s = 0;
                for (int p = 0; p < k; p++)
                    s += a[(z*n + i)*k + p] * b[(z*k + p)*m + j];
                c[(z*n + i)*m + j] = s;
            }
}
