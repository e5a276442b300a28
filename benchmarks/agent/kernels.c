#include <math.h>

float dot(const float *x, const float *y, int n) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

void scale_rows(float *a, const float *s, int m, int n) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] *= s[i];
}

void softmax(float *x, int n) {
    float most = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > most)
            most = x[i];
    for (int i = 0; i < n; i++) {
        x[i] = expf(x[i] - most);
        sum += x[i];
    }
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

int argmax(const float *x, int n) {
    int at = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[at])
            at = i;
    return at;
}

void histogram(const unsigned char *x, int n, int *counts) {
    for (int i = 0; i < 256; i++)
        counts[i] = 0;
    for (int i = 0; i < n; i++)
        counts[x[i]]++;
}

void smooth(const float *x, float *y, int n) {
    for (int i = 1; i + 1 < n; i++)
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

int gcd(int a, int b) {
    while (b != 0) {
        int r = a % b;
        a = b;
        b = r;
    }
    return a;
}

void insertion_sort(int *a, int n) {
    for (int i = 1; i < n; i++) {
        int key = a[i], j = i - 1;
        while (j >= 0 && a[j] > key) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
}

/* blocks of three, each some way behind the one before */
void clear_blocks(float *x, const int *moves, int n) {
    int low = 0, high = 3;
    while (high <= n) {
        for (int i = low; i < high; i++)
            x[i] = 0;
        int move = moves[low] < 1 ? 1 : moves[low];
        low += move;
        high += move;
    }
}

/* a heap whose first element may be too small */
void sift_down(int *a, int n, int i) {
    for (;;) {
        int left = 2 * i + 1, right = left + 1, most = i;
        if (left < n && a[left] > a[most])
            most = left;
        if (right < n && a[right] > a[most])
            most = right;
        if (most == i)
            return;
        int t = a[i];
        a[i] = a[most];
        a[most] = t;
        i = most;
    }
}
