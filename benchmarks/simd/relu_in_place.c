/* negative numbers become 0, in place */
void relu_in_place(float *x, int n) {
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            x[i] = 0;
}
