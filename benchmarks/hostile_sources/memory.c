#include <stdint.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>

// reads the neighbour already written (running sum), p[1:] += p[:-1] reads the old one
void prefix_in_place(int *p, int n) {
    for (int i = 1; i < n; i++) p[i] += p[i - 1];
}

// left neighbour is new, right neighbour is old
void smooth_in_place(int *p, int n) {
    for (int i = 1; i < n - 1; i++) p[i] = (p[i - 1] + p[i] + p[i + 1]) / 3;
}

// forward copy to the right spreads the first element
void shift_right_forward(int *p, int n) {
    for (int i = 0; i < n - 1; i++) p[i + 1] = p[i];
}

// the reversed loop is a true shift, unlike the forward one
void shift_right_reversed(int *p, int n) {
    for (int i = n - 1; i > 0; i--) p[i] = p[i - 1];
}

// overlap by k: repeats the first k elements with period k
void repeat_period(int *p, int n, int k) {
    if (k <= 0) return;
    for (int i = 0; i + k < n; i++) p[i + k] = p[i];
}

// p[0] is doubled first and then added to all others
void add_first_to_all(int *p, int n) {
    for (int i = 0; i < n; i++) p[i] += p[0];
}

// the pivot becomes 0 at i == k, elements after it stay
void subtract_pivot(int *p, int n, int k) {
    if (k < 0 || k >= n) return;
    for (int i = 0; i < n; i++) p[i] -= p[k];
}

// swapping over the full length reverses twice: nothing changes
void reverse_twice(int *p, int n) {
    for (int i = 0; i < n; i++) {
        int t = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = t;
    }
}

// rotation by one, nothing for n < 1 (p[-1] in NumPy is the last element)
void rotate_left_one(int *p, int n) {
    if (n < 1) return;
    int t = p[0];
    for (int i = 1; i < n; i++) p[i - 1] = p[i];
    p[n - 1] = t;
}

// a negative stride starts at the end; a[0:n:k] is empty for k < 0
int hash_stride(const int *a, int n, int k) {
    if (k == 0) return 0;
    int s = 0;
    for (int i = k > 0 ? 0 : n - 1; i >= 0 && i < n; i += k) s = (s * 3 + a[i]) % 1000;
    return s;
}

// do-while reads a[0] even for n <= 0
int sum_do_while(const int *a, int n) {
    int s = 0, i = 0;
    do {
        s += a[i];
    } while (++i < n);
    return s;
}

// pointer bumps between the two reads
void pair_bump(const int *a, int *o, int n) {
    while (n-- > 1) {
        int t = *a++;
        *o++ = *a - 2 * t;
    }
}

// x and y may be the same object: result 0, not a swap
void xor_swap(int *x, int *y) {
    *x ^= *y;
    *y ^= *x;
    *x ^= *y;
}

// the second statement reads the new *x
void sum_then_difference(int *x, int *y) {
    *x = *x + *y;
    *y = *x - *y;
}

// the loop bound p[0] grows by the first store
void bump_until_bound(int *p, int n) {
    for (int i = 0; i < p[0] && i < n; i++) p[i] += 1;
}

// one bubble pass carries the maximum along; pairwise min/max of old values does not
void bubble_pass(int *p, int n) {
    for (int i = 0; i + 1 < n; i++)
        if (p[i] > p[i + 1]) {
            int t = p[i];
            p[i] = p[i + 1];
            p[i + 1] = t;
        }
}

// o[n - 1] is left untouched, and nothing happens for n <= 1
void forward_differences(const int *a, int *o, int n) {
    for (int i = 0; i < n - 1; i++) o[i] = a[i + 1] - a[i];
}

// bins hit twice must count twice; h[a] += 1 in NumPy counts once
void histogram16(const uint8_t *a, int *h, int n) {
    for (int i = 0; i < n; i++) h[a[i] & 15]++;
}

// p[p[i]] may already be replaced
void compose_in_place(uint8_t *p, int n) {
    for (int i = 0; i < n; i++) if (p[i] < n) p[i] = p[p[i]];
}

// >= keeps the last of equal maxima, and -1 for an empty array; argmax gives the first
int last_argmax(const int *a, int n) {
    int k = -1;
    for (int i = 0; i < n; i++) if (k < 0 || a[i] >= a[k]) k = i;
    return k;
}

// two indexes meet in the middle: only the first half changes
void fold_ends(int *p, int n) {
    int i = 0, j = n - 1;
    while (i < j) p[i++] += p[j--];
}

// forward expansion overwrites sources before they are read
void spread_by_two(int *p, int n) {
    for (int i = 0; 2 * i < n; i++) p[2 * i] = p[i];
}

// after compaction the tail keeps its old values, length is returned
int keep_positive(int *p, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) if (p[i] > 0) p[k++] = p[i];
    return k;
}

// n is decremented inside: only half of the elements are visited; final i for n < 0 is 0
int half_walk(const int *a, int n) {
    int s = 0, i;
    for (i = 0; i < n; i++, n--) s += a[i];
    return 100 * i + s % 100;
}

// a single pass over all i, j swaps each pair twice: the square is not transposed
void transpose_twice(int *p, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int t = p[i * n + j];
            p[i * n + j] = p[j * n + i];
            p[j * n + i] = t;
        }
}
