def countPrimes(n: int) -> int:
    """number of primes below n, sieve of Eratosthenes"""
    if n < 3:
        return 0
    isPrime = [True] * n
    isPrime[0] = isPrime[1] = False
    i = 2
    while i * i < n:
        if isPrime[i]:
            for j in range(i * i, n, i):
                isPrime[j] = False
        i += 1
    count = 0
    for flag in isPrime:
        if flag:
            count += 1
    return count
