/* the first place of a value, the number of elements if it is not there */
int search(const float *a, int n, float value) {
    int i = 0;
    while (i < n && *a != value) {
        a++;
        i++;
    }
    return i;
}
