#include <stdatomic.h>

int f(atomic_int *p, int n) {
    atomic_fetch_add(p, n); // UNSUPPORTED: atomic
    return n;
}
