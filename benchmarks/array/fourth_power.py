"""Fourth powers, in place."""


def fourth_power(a: list[int]) -> None:
    for i in range(len(a)):
        a[i] *= a[i]
        a[i] *= a[i]
