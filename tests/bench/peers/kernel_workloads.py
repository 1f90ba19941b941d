"""Single kernels of the benchmark (workloads.py): convolutions, factors of matrices, products of vectors."""

import numpy as np

from workload import Workload, normal, rng_for, workload

FILTERS = {  # x, w, multiplications
    "filter_501": ((1, (1 << 16) + 500, 1), (501, 1, 1), 501 << 16),
    "filter_2x2": ((8, 2, 2, 512), (3, 3, 512, 512), 8 * 4 * 9 * 512 * 512),
    "filter_chw": ((8, 64, 56, 56), (64, 1, 3, 3), 8 * 64 * 56 * 56 * 9),
}


@workload(*FILTERS)
def filter_op(name):
    r, (x, w, products) = rng_for(name), FILTERS[name]
    p = {"x": normal(r, x), "w": normal(r, w, 0.05)}
    f = "convolution: VALID along one axis; SAME 3x3; SAME 3x3 of each channel, channels first"
    return Workload(name, "op", p, {}, dict(f=f), flops=2 * products, bytes=4 * (2 * p["x"].size + p["w"].size))


@workload("cholesky_16x64")
def cholesky_op(name):
    r, b, n, m = rng_for(name), 16, 64, 8
    g = normal(r, (b, n, n))
    a = g @ g.transpose(0, 2, 1) / np.float32(n) + np.eye(n, dtype=np.float32)
    return Workload(
        name,
        "op",
        {"a": a, "b": normal(r, (b, n, m))},
        {},
        dict(f="x with L x = b, L = cholesky(a)"),
        flops=b * (n**3 / 3 + n * n * m),
        bytes=4 * b * (2 * n * n + 2 * n * m),
    )


@workload("process_128")
def process(name):
    r, n, d = rng_for(name), 128, 4
    p = {"l": normal(r, (d,), 0.1), "s": normal(r, (1,), 0.1)}
    data = {"x": normal(r, (n, d)), "y": normal(r, (n, 1))}
    f = "x *= exp(l); L = cholesky(exp(s - |xi - xj|^2 / 2) + 0.1 I); z = L^-1 y; z z / 2 + sum(log(diag(L)))"
    return Workload(name, "grad", p, data, dict(wrt=["l", "s"], f=f), flops=n**3 + 30 * n * n, bytes=16 * n * n)


VECTORS = {
    "matvec_1000x32": ((1000, 32), (32,)),
    "matvec_1000": ((1000, 1000), (1000,)),
    "matvec_1000_f64": ((1000, 1000), (1000,)),
    "vecmat_1000": ((1000,), (1000, 1000)),
    "vecmat_1000x32": ((1000,), (1000, 32)),
    "matvec_64x64x64": ((64, 64, 64), (64, 64, 1)),
}


@workload(*VECTORS)
def vector_op(name):
    r, (left, right) = rng_for(name), VECTORS[name]
    dtype = "float64" if name.endswith("f64") else "float32"
    a, b = normal(r, left).astype(dtype), normal(r, right).astype(dtype)
    n = b.shape[-1] if b.ndim > 1 else 1
    out = a.size // a.shape[-1] * n
    return Workload(
        name,
        "op",
        {"a": a, "b": b},
        {},
        dict(f="a @ b"),
        flops=2 * a.size * n,
        bytes=a.itemsize * (a.size + b.size + out),
        dtype=dtype,
    )
