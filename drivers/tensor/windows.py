"""Windows that move over an array: convolutions, in the valid range."""

from __future__ import annotations

from metalift.driver import Matrix, Real, Tensor3, Vec, size

from .base import called, driver, spelled


@driver.define(
    emit=spelled(
        numpy='np.correlate({x}, {w}, mode="valid")',
        pytorch="F.conv1d({x}[None, None], {w}[None, None])[0, 0]",
        jax='jnp.correlate({x}, {w}, mode="valid")',
        tensorflow='tf.nn.conv1d({x}[None, :, None], {w}[:, None, None], 1, "VALID")[0, :, 0]',
        mlx="mx.conv1d({x}[None, :, None], {w}[None, :, None])[0, :, 0]",
    ),
    requires=lambda x, w: 0 < len(w) <= len(x),
)
def correlate(x: Vec[Real], w: Vec[Real]) -> Vec[Real]:
    return [sum(x[i + k] * w[k] for k in range(len(w))) for i in range(len(x) - len(w) + 1)]


@driver.define(
    emit=called("convolve", '{x}, {w}, mode="valid"', pytorch="", tensorflow=""),
    requires=lambda x, w: 0 < len(w) <= len(x),
)
def convolve(x: Vec[Real], w: Vec[Real]) -> Vec[Real]:
    return [sum(x[i + len(w) - 1 - k] * w[k] for k in range(len(w))) for i in range(len(x) - len(w) + 1)]


@driver.define(
    emit=spelled(
        numpy="np.convolve({x}, {w})[: len({x})]",
        pytorch="F.conv1d(F.pad({x}, (len({w}) - 1, 0))[None, None], torch.flip({w}, (0,))[None, None])[0, 0]",
        jax="jnp.convolve({x}, {w})[: len({x})]",
        mlx="mx.convolve({x}, {w})[: len({x})]",
    ),
    requires=lambda x, w: 0 < len(w) and 0 < len(x),
)
def filter_causally(x: Vec[Real], w: Vec[Real]) -> Vec[Real]:
    """A filter of finite response: before the first element there are zeros."""
    return [sum(x[i - k] * w[k] if k <= i else 0 for k in range(len(w))) for i in range(len(x))]


@driver.define(
    emit=spelled(
        pytorch="F.conv2d({x}[None, None], {w}[None, None])[0, 0]",
        tensorflow='tf.nn.conv2d({x}[None, :, :, None], {w}[:, :, None, None], 1, "VALID")[0, :, :, 0]',
        mlx="mx.conv2d({x}[None, :, :, None], {w}[None, :, :, None])[0, :, :, 0]",
    ),
    requires=lambda x, w: 0 < len(w) <= len(x) and 0 < size(w, 1) <= size(x, 1),
)
def correlate_2d(x: Matrix[Real], w: Matrix[Real]) -> Matrix[Real]:
    return [
        [
            sum(x[i + k][j + q] * w[k][q] for k in range(len(w)) for q in range(size(w, 1)))
            for j in range(size(x, 1) - size(w, 1) + 1)
        ]
        for i in range(len(x) - len(w) + 1)
    ]


@driver.define(
    emit=spelled(
        pytorch="F.conv1d({x}[None], {w})[0]",
        mlx="mx.conv1d({x}.T[None], {w}.transpose(0, 2, 1))[0].T",
    ),
    requires=lambda x, w: len(w) > 0 and len(x) == size(w, 1) and 0 < len(x) and 0 < size(w, 2) <= size(x, 1),
)
def correlate_channels(x: Matrix[Real], w: Tensor3[Real]) -> Matrix[Real]:
    return [
        [
            sum(x[c][i + k] * w[o][c][k] for c in range(len(x)) for k in range(size(w, 2)))
            for i in range(size(x, 1) - size(w, 2) + 1)
        ]
        for o in range(len(w))
    ]
