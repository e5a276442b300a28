#include <stdbool.h>

enum state { START, SIGN, DIGITS, POINT, FRACTION, BAD };

static enum state step(enum state state, char c) {
    bool digit = c >= '0' && c <= '9';
    switch (state) {
    case START:
        return digit ? DIGITS : c == '-' || c == '+' ? SIGN : BAD;
    case SIGN:
        return digit ? DIGITS : BAD;
    case DIGITS:
        return digit ? DIGITS : c == '.' ? POINT : BAD;
    case POINT:
    case FRACTION:
        return digit ? FRACTION : BAD;
    default:
        return BAD;
    }
}

bool is_number(const char *text) {
    enum state state = START;
    while (*text && state != BAD) state = step(state, *text++);
    return state == DIGITS || state == FRACTION;
}

int count_numbers(const char *const *words, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (is_number(words[i])) count++;
    }
    return count;
}
