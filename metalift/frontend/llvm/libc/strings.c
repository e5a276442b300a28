/* What the C standard says of these functions, in the locale "C". It says of comparisons only which sign they have: they give the
 * difference of the first bytes that differ, as glibc does. */

typedef __SIZE_TYPE__ size_t;

size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != 0) n++;
    return n;
}

size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n] != 0) n++;
    return n;
}

int strcmp(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] != 0 && a[n] == b[n]) n++;
    return (unsigned char)a[n] - (unsigned char)b[n];
}

int strncmp(const char *a, const char *b, size_t most)
{
    int found = 0, open = 1;
    for (size_t n = 0; n < most; n++) {
        if (open) {
            found = (unsigned char)a[n] - (unsigned char)b[n];
            open = found == 0 && a[n] != 0;
        }
    }
    return found;
}

int memcmp(const void *a, const void *b, size_t count)
{
    int found = 0; /* all bytes have to be there, also those behind the first that differ */
    for (size_t n = 0; n < count; n++) {
        int difference = ((const unsigned char *)a)[n] - ((const unsigned char *)b)[n];
        if (found == 0) found = difference;
    }
    return found;
}

int bcmp(const void *a, const void *b, size_t count)
{
    return memcmp(a, b, count);
}

/* What is not 0 are the bits that glibc has for a kind of characters. */

int isupper(int c) { return c >= 'A' && c <= 'Z' ? 0x100 : 0; }
int islower(int c) { return c >= 'a' && c <= 'z' ? 0x200 : 0; }
int isalpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 0x400 : 0; }
int isdigit(int c) { return c >= '0' && c <= '9' ? 0x800 : 0; }
int isxdigit(int c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? 0x1000 : 0; }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r') ? 0x2000 : 0; }
int isalnum(int c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 0x8 : 0; }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
