#include <string.h>
#include <ctype.h>
int matching(size_t n, const char *a, const char *b) { return strncmp(a, b, n) == 0; }
int same(const char *a, const char *b) { return strcmp(a, b) == 0; }
size_t len(const char *s) { return strlen(s); }
int count(const char *s, char c) { int k = 0; for (size_t i = 0; i < strlen(s); i++) if (s[i] == c) k++; return k; }
int equal_bytes(int n, const unsigned char *a, const unsigned char *b) { return memcmp(a, b, n) == 0; }
int digits(int n, const char *s) { int k = 0; for (int i = 0; i < n; i++) if (isdigit((unsigned char)s[i])) k++; return k; }
void lower(char *s) { for (int i = 0; s[i]; i++) s[i] = tolower((unsigned char)s[i]); }
int order(const char *a, const char *b) { return strcmp(a, b); }
int starts(const char *s, const char *p) { return strncmp(s, p, strlen(p)) == 0; }
int kinds(int c)
{
    return isupper(c) + islower(c) + isalpha(c) + isdigit(c) + isxdigit(c) + isspace(c) + isalnum(c);
}
int cases(int c) { return 1000 * toupper(c) + tolower(c); }
