/* where pattern first occurs in text, -1 where it does not */
int string_match(const char *text, int n, const char *pattern, int m) {
    for (int i = 0; i + m <= n; i++) {
        int j = 0;
        while (j < m && text[i + j] == pattern[j])
            j++;
        if (j == m)
            return i;
    }
    return -1;
}
