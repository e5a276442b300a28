"""Forms of expressions on NumPy's arrays, for random statements.

`{}` is an array, `a` and `b` are of its shape, `v` has the length of the last axis, `k` is a number.
"""

_ANY = """
    np.clip({}, None, k); np.clip({}, k, None); np.clip({}, a, b); np.clip({}, min=-2, max=k); {} ** 2; {} ** 3; {} ** 0;
    {} ** 0.5; {} ** k; 2 ** {}; {} << 1; {} >> 1; {} >> k; {} << k; 1 << {}; {} / 2; 2 // {}; {} // 2; {} % 3; {} % -3;
    {} // -2; k // {}; k % {}; {} // k; {} % k; np.float32(0.5) * {}; np.int8(100) + {}; np.uint8(200) + {}; np.float64(2) * {};
    np.int64(3) * {}; np.int32(k) + {}; int(k) + {}; float(k) * {}; {}.sum(dtype=np.int32); {}.sum(dtype=np.float64);
    {}.sum(dtype=np.uint8); {}.mean(dtype=np.float64); {}.prod(dtype=np.int64); {}.var(ddof=1); {}.std(ddof=1);
    np.var({}, ddof=k); np.where({} > 1, 1, 0); np.where({} > 1, 1.5, 0); np.where({} > 1, {}, 0.5); np.where({} > k, k, {});
    np.where({} > 1, True, False); np.where({}, a, b); np.where({} > 1, a, v); np.mean({} > 1); ({} > 1).sum();
    ({} > 1) + ({} > 2); ({} > 1) * 2; ({} > 1) - 1; ({} > 1) * ({} < 5); -({} + 0); abs({}); {}.max() - {}.min(); np.ptp({});
    {}.argmax(); {}.argmin(); np.count_nonzero({}); {}.any(); {}.all(); np.abs({} - 3); np.floor({} / 3); np.ceil({} / 3);
    np.trunc({} / 3); np.rint({} / 2); np.round({} / 2); np.sign({}); np.square({}); np.fabs({}); np.maximum({}, 0);
    np.minimum({}, 0.5); np.maximum({}, k); np.fmax({}, b); np.mod({}, 4); np.floor_divide({}, 4); np.power({}, 2);
    np.hypot({}, 3); np.logical_and({}, b); np.logical_xor({}, b); ~({} > 1); ~{}; np.bitwise_and({}, 6); {} & 6; {} | 1;
    {} ^ k; {}.astype(int); {}.astype(float); {}.astype(bool); {}.astype(np.uint8); {}.astype(np.int8) + {};
    ({} / 3).astype(int); ({} / 3).astype(np.int16); np.zeros_like({}) + 1; np.ones_like({}) * k; np.full_like({}, 2.5);
    np.zeros({}.shape) + {}; np.zeros({}.shape, dtype=int) + {}; np.array({}); np.asarray({}) + 1; np.average({});
    {}.sum() / {}.size; {}.sum() // 2; {}.max() + 1; {}.max() * 2; {}.sum() + k; {}.mean() * {}; {}.max() * {}; {}.sum() * {};
    {}.min() // 2; {}.max() % 3; -{}.max(); {}.max() ** 2; {}.max() - b.max(); int({}.sum()); float({}.sum()); int({}.mean());
    {}.max() > k; {}.sum() == k; round({}.mean()); np.sqrt({}.max() + 200); np.sum({} > 0) / {}.size; np.square({}.max());
    np.sum({} * {}); np.sum(({} - {}.mean()) ** 2); np.exp({} / 100); np.where({} == 0, 1, {}); np.isclose({}, b); {}.flatten();
    {}.copy() + 1; np.flip({}); {}.ravel()[::-1]; np.all({} > -3); np.any({} > 3); ({} != b).sum(); ({} == b).mean();
    {}[{} > 1].sum(); {}[{} > 1].mean(); {}[{} > k].max(); {}[({} > 0) & ({} < 3)]; {}[{} > 0].size; len({}[{} > 0]);
    {}[~({} > 1)] * 2; {}[{} > 1] ** 2; np.sum({}[{} != 0]); {}.astype(np.float32) * 0.1;
    {}.astype(np.int32) * {}.astype(np.int64); np.uint8(k) * {}; {} * True; {} + 1.0; {} - 1; {} * -1; {} + 100; {} + 300;
    {} * 0.5; (-{}).astype(np.uint16); {} == 300; {} > -1; {} < 2.5
"""
_VECTORS = """
    np.cumsum({}); np.cumprod({}); np.cumsum({} > 1); np.diff({}); np.roll({}, 1); np.roll({}, -k); np.repeat({}, 2);
    np.tile({}, 2); np.outer({}, v); np.dot({}, v); np.inner({}, v); {} @ v; np.append({}, 1); np.append({}, v);
    np.concatenate(({}, v)); np.concatenate(({}, {} > 1)); np.hstack(({}, v)); np.vstack(({}, v)); np.stack(({}, v));
    np.stack(({}, v), axis=1); np.column_stack(({}, v)); np.diag({}); np.linalg.norm({}); np.linalg.norm({}, 1); np.sort({});
    {}[np.array([0, 1, 1])]; {}[[0, -1]]; {}[np.arange(len(a))]; {}[np.arange(len(a)) % 2]; np.bincount(np.abs({} % 5));
    np.trapezoid({}); np.trapezoid({}, dx=0.5); np.arange(len(a)) * {}; np.linspace(0, 1, len(a)) + {}; np.linspace(0, k, 5);
    np.linspace(1, 2, 3, endpoint=False); np.arange(k); np.arange(1, k); np.arange(k, 1); np.arange(10, k, -2);
    np.arange(k, 9, 3); np.arange(3, dtype=np.uint8) - 1; {}.reshape(1, -1) + {}; {}.reshape(-1, 1) + v; {}[:, None] * v[None];
    {}[None, :] - {}[:, None]; np.einsum('i,i->', {}, v); np.einsum('i,j->ij', {}, v); {}[-k:]; {}[k:]; {}[:k]; {}[:-1][::-1];
    {}[1:][::2]; {}[k]; {}[-1]; np.eye(len(a)) @ {}; np.identity(3) * 2; np.expand_dims({}, 0); np.squeeze({}[None]);
    ({} - {}.mean()) / ({}.std() + 1); np.convolve({}, v); {}[::3]; {}[1::2] * 2; {}[-2:]; {}[:2] + 1;
    np.zeros(len(a), dtype=np.int8) + {}; np.ones(3, dtype=bool); np.full(3, k); np.full(3, 2); np.full(len(a), {}.max());
    np.array([1, 2, k]); np.array([1, 2.5]); np.array([k, 0.5]) * 2; np.full(3, True); np.full(len(a), 2.5);
    np.ones(3, bool) * 2; np.cumsum({}, dtype=np.int8); np.prod({}, dtype=np.int8); np.squeeze({}[None], axis=0);
    np.array([True, False]); {}[0] + {}[1]; {}[0] * 200; {}[0] // 2; {}[0] - b[0]; {}[0] / 2; {}[0] & 3; {}[0] + k; {}[0] * 0.5;
    {}[0] > k; min(a); max(a); sum(a); np.sum(a[1:] * b[:-1]); sorted(a)[0]; a if k > 1 else b + 1; a[1:] if k > 1 else a[:-1]
"""
_MATRICES = """
    {}.sum(axis=0); {}.sum(axis=1); {}.sum(axis=-1, keepdims=True); {}.mean(axis=0); {}.var(axis=0, ddof=1); {}.std(axis=1);
    {}.argmax(axis=0); {}.argmax(axis=1); {}.argmin(axis=-1); {}.max(axis=0); {}.any(axis=1); ({} > 1).sum(axis=0);
    ({} > 1).all(axis=0); {}.sum(axis=(0, 1)); {}.cumsum(axis=1); np.cumsum({}, axis=0); {} @ v; {} @ {}.T; {}.T @ {};
    np.dot({}, v); np.matmul({}.T, {}); np.trace({}); np.diag({}); {}.T + 0; {}[:, 0]; {}[0]; {}[-1, ::-1]; {}[:, [0, 1]];
    {}[[1, 0]]; {}[[0, 1], [1, 0]]; {}[:, ::-1]; {}[::-1, ::-1]; {}[1:, 1:] - {}[:-1, :-1]; {} - {}.mean(axis=0);
    {} / ({}.sum(axis=1, keepdims=True) + 0.5); {} - {}.mean(axis=1)[:, None]; {}.reshape(-1); {}.ravel();
    np.linalg.norm({}, axis=1); np.linalg.norm({}); np.einsum('ij,j->i', {}, v); np.einsum('ij->j', {});
    np.einsum('ij,ij->', {}, {}); np.einsum('ii', {}); np.einsum('ij->ji', {}); np.vstack(({}, v[None])); np.hstack(({}, {}));
    np.concatenate(({}, {}), axis=1); np.stack(({}, {})); np.stack(({}, {}), axis=2); np.transpose({}); np.fliplr({});
    np.flipud({}); np.flip({}, axis=1); np.flip({}, axis=(0, 1)); np.outer({}, v); {} + v; {} * v[None, :]; {} * v[:, None];
    {}[..., 0];
    {}[:, -1] + {}[:, 0]; {}.max(axis=1) - {}.min(axis=1); np.ptp({}, axis=0); {}.prod(axis=0);
    {}.mean(axis=1, keepdims=True) * {}; {}[0, 1] * 200; {}[{} > 1]; {}.size; len({}); {}.shape[1]; np.average({}, axis=0);
    {}.swapaxes(0, 1); np.where({} > v, {}, v); np.expand_dims({}, 1) * 2; {}[None].sum(axis=0); {}[1][0]; np.repeat({}, 2);
    np.diff({}); np.count_nonzero({}, axis=0); {}.reshape(len(v), -1); {}.reshape(1, -1) * 2; {}.T.reshape(-1); {}.T.ravel();
    {}.flatten()[1:]; np.sort({}.ravel()); np.squeeze({}[:, None]); {}.transpose() @ {}; {}[:, None] - v
"""


def _split(text: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in text.split(";"))


ANY, VECTORS, MATRICES = map(_split, (_ANY, _VECTORS, _MATRICES))
