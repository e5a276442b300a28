/* length of the longest common subsequence; t has (m + 1) * (n + 1) entries */
int common_subsequence(const unsigned char *a, int m, const unsigned char *b, int n, int *t) {
    int w = n + 1;
    for (int i = 0; i <= m; i++) t[i * w] = 0;
    for (int j = 0; j <= n; j++) t[j] = 0;
    for (int i = 1; i <= m; i++) {
        for (int j = 1; j <= n; j++) {
            if (a[i - 1] == b[j - 1])
                t[i * w + j] = t[(i - 1) * w + j - 1] + 1;
            else if (t[(i - 1) * w + j] >= t[i * w + j - 1])
                t[i * w + j] = t[(i - 1) * w + j];
            else
                t[i * w + j] = t[i * w + j - 1];
        }
    }
    return t[m * w + n];
}
