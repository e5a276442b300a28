/* the next permutation in lexical order; 0 where a was the last one, which is left as it is */
int next_permutation(int *a, int n) {
    int i = n - 2;
    while (i >= 0 && a[i] >= a[i + 1])
        i--;
    if (i < 0)
        return 0;
    int j = n - 1;
    while (a[j] <= a[i])
        j--;
    int t = a[i];
    a[i] = a[j];
    a[j] = t;
    for (int left = i + 1, right = n - 1; left < right; left++, right--) {
        t = a[left];
        a[left] = a[right];
        a[right] = t;
    }
    return 1;
}
