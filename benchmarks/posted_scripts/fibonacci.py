def fib_table(n):
    # fib[i] is the i-th Fibonacci number
    fib = [0, 1]
    for i in range(2, n + 1):
        fib.append(fib[i - 1] + fib[i - 2])
    return fib
