/* how many steps lead to 1, at most limit */
int collatz_steps(unsigned long n, int limit) {
    int steps = 0;
    while (n != 1 && steps < limit) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
    return steps;
}
