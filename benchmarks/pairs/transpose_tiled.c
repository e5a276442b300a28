#define TILE 8
#define MIN(p, q) ((p) < (q) ? (p) : (q))

void transpose(const float *a, float *t, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            t[j * n + i] = a[i * m + j];
}

void transpose_tiled(const float *a, float *t, int n, int m)
{
    for (int ii = 0; ii < n; ii += TILE)
        for (int jj = 0; jj < m; jj += TILE)
            for (int i = ii; i < MIN(ii + TILE, n); i++)
                for (int j = jj; j < MIN(jj + TILE, m); j++)
                    t[j * n + i] = a[i * m + j];
}

void transpose_tiled_whole(const float *a, float *t, int n, int m)
{
    for (int ii = 0; ii + TILE <= n; ii += TILE)
        for (int jj = 0; jj < m; jj += TILE)
            for (int i = ii; i < ii + TILE; i++)
                for (int j = jj; j < MIN(jj + TILE, m); j++)
                    t[j * n + i] = a[i * m + j];
}
