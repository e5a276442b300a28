/* 1*1 + 2*2 + ... + n*n, from the last */
long squares_to_n(int n) {
    long sum = 0;
    while (n > 0) {
        sum += (long)n * n;
        --n;
    }
    return sum;
}
