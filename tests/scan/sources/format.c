#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char *put_unsigned(char *out, unsigned value, unsigned base) {
    char digits[32];
    int n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (n > 0) *out++ = digits[--n];
    return out;
}

int format(char *out, const char *pattern, ...) {
    char *start = out;
    va_list arguments;
    va_start(arguments, pattern);
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            *out++ = *pattern;
            continue;
        }
        switch (*++pattern) {
        case 'd': {
            int value = va_arg(arguments, int);
            if (value < 0) {
                *out++ = '-';
                value = -value;
            }
            out = put_unsigned(out, value, 10);
            break;
        }
        case 'x':
            out = put_unsigned(out, va_arg(arguments, unsigned), 16);
            break;
        case 's': {
            const char *text = va_arg(arguments, const char *);
            while (*text) *out++ = *text++;
            break;
        }
        default:
            *out++ = *pattern;
        }
    }
    va_end(arguments);
    *out = '\0';
    return (int)(out - start);
}

void print_table(const char *const *names, const double *values, int n) {
    for (int i = 0; i < n; i++) printf("%-20s %10.3f\n", names[i], values[i]);
}
