/* whether two elements of a sorted array add up to target */
int two_pointers(const int *a, int n, long target) {
    int left = 0, right = n - 1;
    while (left < right) {
        long sum = (long)a[left] + a[right];
        if (sum == target)
            return 1;
        if (sum < target)
            left++;
        else
            right--;
    }
    return 0;
}
