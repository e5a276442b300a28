import numpy as np


def heat_equation(u0: np.ndarray, alpha: float, dx: float, dt: float, nt: int) -> np.ndarray:
    """Explicit scheme (FTCS) for u_t = alpha * u_xx, the two ends are held fixed."""
    u = u0.copy()
    r = alpha * dt / dx**2
    for n in range(nt):
        un = u.copy()
        u[1:-1] = un[1:-1] + r * (un[2:] - 2 * un[1:-1] + un[:-2])
    return u
