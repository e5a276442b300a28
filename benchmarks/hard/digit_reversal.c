/* the decimal digits in the opposite order */
unsigned long digit_reversal(unsigned n) {
    unsigned long reversed = 0;
    while (n > 0) {
        reversed = reversed * 10 + n % 10;
        n /= 10;
    }
    return reversed;
}
