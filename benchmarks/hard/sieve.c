#include <string.h>

/* prime[i] says whether i is a prime, for 0 <= i <= n */
void sieve(unsigned char *prime, int n) {
    memset(prime, 1, n + 1);
    prime[0] = 0;
    if (n >= 1)
        prime[1] = 0;
    for (int i = 2; i * i <= n; i++)
        if (prime[i])
            for (int j = i * i; j <= n; j += i)
                prime[j] = 0;
}
