#!/usr/bin/env python3
"""Derives every constant of codegen/math and prints coefficients.inc.

Run:  python3 codegen/math/coefficients.py > codegen/math/coefficients.inc
in an environment with mpmath.
Method: weighted least squares on Chebyshev nodes at 60 digits (close to minimax). The lowest free
coefficient is rounded to the target format and the rest refitted, one after the other, so rounding
errors of the leading coefficients are absorbed by the later ones. The error printed in the comment
is the maximum of weight * |polynomial - function| with the rounded coefficients.
"""

import struct

import mpmath as mp

mp.mp.dps = 60


def round_to(x, dtype):
    """Nearest float of dtype, exact as an mpf."""
    if dtype == "f64":
        return mp.mpf(float(x))
    with mp.workprec(24):
        return +mp.mpf(x)


def fit(f, weight, lo, hi, degree, dtype):
    """Coefficients c[0..degree] of a polynomial near f on [lo, hi], and the weighted error."""
    count = 4 * (degree + 2)
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    nodes = [(lo + hi) / 2 + (hi - lo) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    values = [f(x) for x in nodes]
    weights = [weight(x) for x in nodes]
    done = []
    while len(done) <= degree:
        k = len(done)
        n = degree + 1 - k
        rows = mp.matrix(count, n)
        rhs = mp.matrix(count, 1)
        for i, x in enumerate(nodes):
            rest = values[i] - sum(c * x**j for j, c in enumerate(done))
            rhs[i] = rest * weights[i]
            power = weights[i] * x**k
            for j in range(n):
                rows[i, j] = power
                power *= x
        solution = mp.lu_solve(rows.T * rows, rows.T * rhs)
        done.append(round_to(solution[0], dtype))
    error = mp.mpf(0)
    for i in range(401):
        x = lo + (hi - lo) * i / 400
        error = max(error, abs(mp.polyval(done[::-1], x) - f(x)) * weight(x))
    return done, error


def literal(x, dtype):
    return float.hex(float(x))


def less_bits(x, bits, dtype):
    """The float whose bit pattern is that of x less `bits`."""
    number, whole = ("<f", "<I") if dtype == "f32" else ("<d", "<Q")
    (pattern,) = struct.unpack(whole, struct.pack(number, float(x)))
    return mp.mpf(struct.unpack(number, struct.pack(whole, pattern - bits))[0])


def emit_table(name, dtype, coefficients, error, note):
    bits = mp.nstr(mp.log(error, 2), 4)
    print(f"// {note}; weighted error 2^{bits}.")
    print(f"inline constexpr double {name}_{dtype}[] = {{")
    for c in coefficients:
        print(f"    {literal(c, dtype)},")
    print("};\n")


def emit_scalar(name, dtype, x):
    print(f"inline constexpr double {name}_{dtype} = {literal(x, dtype)};")


def emit_parts(name, dtype, parts):
    values = ", ".join(literal(x, dtype) for x in parts)
    print(f"inline constexpr double {name}_{dtype}[] = {{{values}}};")


def split(x, dtype, widths):
    """x as a sum of floats with the given significand widths; the last takes what is left."""
    parts = []
    rest = x
    for width in widths:
        with mp.workprec(width):
            part = +rest
        parts.append(part)
        rest = rest - part
    parts.append(round_to(rest, dtype))
    return parts


def around_zero(f, series):
    """f with its removable singularity at 0 replaced by the first series terms."""
    return lambda x: f(x) if abs(x) > mp.mpf(10) ** -12 else mp.polyval(series[::-1], x)


def exp_tables(dtype):
    degree = 4 if dtype == "f32" else 10
    half = mp.log(2) / 2 * mp.mpf("1.001")
    q = around_zero(lambda r: (mp.expm1(r) - r) / r**2, [mp.mpf(1) / 2, mp.mpf(1) / 6, mp.mpf(1) / 24, mp.mpf(1) / 120])
    c, e = fit(q, abs, -half, half, degree, dtype)
    emit_table("kExp", dtype, c, e, "(exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2")


def log_tables(dtype):
    degree = 8 if dtype == "f32" else 20
    q = around_zero(lambda f: (mp.log1p(f) - f) / f**2, [-mp.mpf(1) / 2, mp.mpf(1) / 3, -mp.mpf(1) / 4, mp.mpf(1) / 5])
    weight = lambda f: abs(f) + mp.mpf(1) / 64
    c, e = fit(q, weight, mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, degree, dtype)
    emit_table("kLog", dtype, c, e, "(log(1+f) - f) / f^2 on [sqrt(1/2)-1, sqrt(2)-1]")


def sin_tables(dtype):
    degree = 2 if dtype == "f32" else 6
    top = (mp.pi / 4 * mp.mpf("1.01")) ** 2
    s = around_zero(
        lambda u: (mp.sin(mp.sqrt(u)) / mp.sqrt(u) - 1) / u, [-mp.mpf(1) / 6, mp.mpf(1) / 120, -mp.mpf(1) / 5040]
    )
    c, e = fit(s, lambda u: u, 0, top, degree, dtype)
    emit_table("kSin", dtype, c, e, "(sin(r)/r - 1) / s of s = r^2 on |r| <= pi/4")
    s = lambda u: (mp.cos(mp.sqrt(u)) - 1 + u / 2) / u**2 if u > mp.mpf(10) ** -12 else mp.mpf(1) / 24 - u / 720
    c, e = fit(s, lambda u: u**2 + mp.mpf(10) ** -6, 0, top, degree, dtype)
    emit_table("kCos", dtype, c, e, "(cos(r) - 1 + s/2) / s^2 of s = r^2 on |r| <= pi/4")


def erf_tables(dtype):
    cut, top = mp.mpf(1), (4 if dtype == "f32" else 6)
    degree = 6 if dtype == "f32" else 13
    two_over = 2 / mp.sqrt(mp.pi)
    small = around_zero(lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 1, [two_over - 1, -two_over / 3, two_over / 10])
    centre = mp.mpf("0.75")
    c, e = fit(lambda u: small(u + centre), lambda u: mp.mpf(1), -centre, cut**2 - centre, degree, dtype)
    emit_table("kErfSmall", dtype, c, e, "erf(x)/x - 1 of u = x^2 - 3/4 on |x| <= 1")
    degree = 6 if dtype == "f32" else 19
    large = lambda t: mp.log(mp.erfc(t)) / t + 1
    c, e = fit(large, lambda t: mp.erfc(t) * t, cut, top, degree, dtype)
    emit_table("kErfLarge", dtype, c, e, f"log(erfc(t))/t + 1 on 1 <= t <= {top}")


def exp2_tables(dtype):
    degree = 4 if dtype == "f32" else 10
    ln2 = mp.log(2)
    half = mp.mpf(1) / 2 * mp.mpf("1.001")
    q = around_zero(lambda r: (mp.expm1(r * ln2) - r * ln2) / r**2, [ln2**2 / 2, ln2**3 / 6, ln2**4 / 24, ln2**5 / 120])
    c, e = fit(q, abs, -half, half, degree, dtype)
    emit_table("kExp2", dtype, c, e, "(2^r - 1 - r ln(2)) / r^2 on |r| <= 1/2")


def log2_tables(dtype):
    degree = 8 if dtype == "f32" else 20
    ln2 = mp.log(2)
    q = around_zero(
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3 / ln2,
        [mp.mpf(1) / 3 / ln2, -mp.mpf(1) / 4 / ln2, mp.mpf(1) / 5 / ln2],
    )
    weight = lambda f: f**2 + mp.mpf(1) / 512
    c, e = fit(q, weight, mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, degree, dtype)
    emit_table("kLog2", dtype, c, e, "(log2(1+f) - (f - f^2/2)/ln(2)) / f^3 on [sqrt(1/2)-1, sqrt(2)-1]")


def sinh_tables(dtype):
    degree = 2 if dtype == "f32" else 5
    top = (mp.log(2) / 2 * mp.mpf("1.01")) ** 2
    s = around_zero(
        lambda u: (mp.sinh(mp.sqrt(u)) / mp.sqrt(u) - 1) / u, [mp.mpf(1) / 6, mp.mpf(1) / 120, mp.mpf(1) / 5040]
    )
    c, e = fit(s, lambda u: u, 0, top, degree, dtype)
    emit_table("kSinh", dtype, c, e, "(sinh(r)/r - 1) / s of s = r^2 on |r| <= ln(2)/2")
    s = lambda u: (mp.cosh(mp.sqrt(u)) - 1 - u / 2) / u**2 if u > mp.mpf(10) ** -12 else mp.mpf(1) / 24 + u / 720
    c, e = fit(s, lambda u: u**2 + mp.mpf(10) ** -6, 0, top, degree, dtype)
    emit_table("kCosh", dtype, c, e, "(cosh(r) - 1 - s/2) / s^2 of s = r^2 on |r| <= ln(2)/2")


def tanh_tables(dtype):
    """Of the grid k h, h of few bits among those whose values are near floats, the last one next to 1; and
    (d coth d - 1) / d^2, whose weighted error is that of d / (d coth d) in ULP of the result."""
    size, h, degree = (8, mp.mpf(10147) / 2**13, 2) if dtype == "f32" else (16, mp.mpf(5208761) / 2**22, 7)
    print("// tanh(k h) and 1 - tanh(k h)^2.")
    emit_scalar("kTanhStep", dtype, h)
    for name, f in (("kTanhGrid", mp.tanh), ("kTanhSlope", lambda x: mp.sech(x) ** 2)):
        print(f"inline constexpr double {name}_{dtype}[] = {{")
        for k in range(size):
            print(f"    {literal(round_to(f(k * h), dtype), dtype)},")
        print("};")
    gap = around_zero(lambda s: (mp.sqrt(s) * mp.coth(mp.sqrt(s)) - 1) / s, [mp.mpf(1) / 3, -mp.mpf(1) / 45])

    def weight(s):
        t = mp.tanh(mp.sqrt(s))
        return s / (1 + s * gap(s)) * mp.ldexp(t, -mp.frexp(t)[1])

    c, e = fit(gap, weight, 0, (h / 2 * mp.mpf("1.001")) ** 2, degree, dtype)
    emit_table("kTanhGap", dtype, c, e, "(d coth d - 1) / s of s = d^2 on |d| <= h/2")


def sigmoid_tables(dtype):
    """e^-x = 2^(n / size) e^r: size, u 2^(k / size) as floats whose bits lack k / size of an exponent, and what rounding
    took of them."""
    size, unit, short, bits, degree = (8, -37, 12, 23, 2) if dtype == "f32" else (16, -96, 37, 52, 4)
    unit = mp.mpf(99) / 64 * mp.mpf(2) ** unit
    print("// u 2^(k / size) with an exponent of k / size less, and (exact - rounded) / rounded.")
    rounded = [round_to(unit * mp.mpf(2) ** (mp.mpf(k) / size), dtype) for k in range(size)]
    grid = [less_bits(x, k << (bits - size.bit_length() + 1), dtype) for k, x in enumerate(rounded)]
    lost = [round_to(unit * mp.mpf(2) ** (mp.mpf(k) / size) / x - 1, dtype) for k, x in enumerate(rounded)]
    for name, values in (("kSigmoidGrid", grid), ("kSigmoidLost", lost)):
        print(f"inline constexpr double {name}_{dtype}[] = {{")
        for x in values:
            print(f"    {literal(x, dtype)},")
        print("};")
    print("// ln(2) / size = hi + lo, n * hi is exact for every n.")
    hi, lo = split(mp.log(2) / size, dtype, [short])
    emit_scalar("kSigmoidStepHi", dtype, hi)
    emit_scalar("kSigmoidStepLo", dtype, lo)
    half = mp.log(2) / (2 * size) * mp.mpf("1.001")
    q = around_zero(lambda r: (mp.expm1(r) - r) / r**2, [mp.mpf(1) / 2, mp.mpf(1) / 6, mp.mpf(1) / 24, mp.mpf(1) / 120])
    c, e = fit(q, lambda r: r**2, -half, half, degree, dtype)
    emit_table("kSigmoidExp", dtype, c, e, "(exp(r) - 1 - r) / r^2 on |r| <= ln(2) / (2 size)")


def inverse_tables(name, degrees, f, series, top, note):
    """(f(x)/x - 1) / s of s = x^2 on [0, top], to the double and to the float."""
    q = around_zero(lambda u: (f(mp.sqrt(u)) / mp.sqrt(u) - 1) / u, series)
    for suffix, degree in zip(("f64", "coarse"), degrees):
        c, e = fit(q, lambda u: u + mp.mpf(10) ** -6, 0, top, degree, "f64")
        emit_table(name, suffix, c, e, note)


def double_tables():
    """What only double arithmetic uses; tables named coarse serve float results."""
    inverse_tables(
        "kAsin",
        (12, 7),
        mp.asin,
        [mp.mpf(1) / 6, mp.mpf(3) / 40],
        mp.mpf(1) / 4,
        "(asin(x)/x - 1) / s of s = x^2 on |x| <= 1/2",
    )
    inverse_tables(
        "kAsinh",
        (12, 6),
        mp.asinh,
        [-mp.mpf(1) / 6, mp.mpf(3) / 40],
        mp.mpf(1) / 4,
        "(asinh(x)/x - 1) / s of s = x^2 on |x| <= 1/2",
    )
    inverse_tables(
        "kAtanh",
        (13, 7),
        mp.atanh,
        [mp.mpf(1) / 3, mp.mpf(1) / 5],
        mp.mpf(1) / 4,
        "(atanh(x)/x - 1) / s of s = x^2 on |x| <= 1/2",
    )
    inverse_tables(
        "kAtan",
        (10, 6),
        mp.atan,
        [-mp.mpf(1) / 3, mp.mpf(1) / 5],
        (mp.sqrt(2) - 1) ** 2 * mp.mpf("1.001"),
        "(atan(x)/x - 1) / s of s = x^2 on |x| <= sqrt(2)-1",
    )
    q = around_zero(lambda f: (mp.log1p(f) - f) / f**2, [-mp.mpf(1) / 2, mp.mpf(1) / 3, -mp.mpf(1) / 4, mp.mpf(1) / 5])
    c, e = fit(q, lambda f: abs(f) + mp.mpf(1) / 64, mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1, 13, "f64")
    emit_table("kLog", "coarse", c, e, "(log(1+f) - f) / f^2 on [sqrt(1/2)-1, sqrt(2)-1]")
    half = mp.log(2) / 2 * mp.mpf("1.001")
    q = around_zero(lambda r: (mp.expm1(r) - r) / r**2, [mp.mpf(1) / 2, mp.mpf(1) / 6, mp.mpf(1) / 24, mp.mpf(1) / 120])
    c, e = fit(q, abs, -half, half, 6, "f64")
    emit_table("kExp", "coarse", c, e, "(exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2")
    c, e = fit(lambda m: m ** (-mp.mpf(1) / 3), lambda m: m ** (mp.mpf(1) / 3), 1, 2, 5, "f64")
    emit_table("kInverseCbrt", "f64", c, e, "m^(-1/3) on [1, 2]")
    t = around_zero(
        lambda u: (mp.atanh(mp.sqrt(u)) / mp.sqrt(u) - 1 - u / 3 - u**2 / 5) / u**3,
        [mp.mpf(1) / 7, mp.mpf(1) / 9, mp.mpf(1) / 11],
    )
    top = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")
    c, e = fit(t, lambda u: mp.mpf(1), 0, top, 9, "f64")
    emit_table("kAtanhTail", "f64", c, e, "(atanh(z)/z - 1 - u/3 - u^2/5) / u^3 of u = z^2 on z <= 0.1716")
    print("// Constants as sums; that of pi/4 begins with 50 bits.")
    emit_parts("kQuarterPi", "f64", split(mp.pi / 4, "f64", [50]))
    emit_parts("kThird", "f64", split(mp.mpf(1) / 3, "f64", [53]))
    emit_parts("kFifth", "f64", split(mp.mpf(1) / 5, "f64", [53]))
    print()


def constants(dtype):
    p = 24 if dtype == "f32" else 53
    print("// ln(2) = hi + lo; hi is short, so n * hi is exact for every exponent n.")
    hi, lo = split(mp.log(2), dtype, [15 if dtype == "f32" else 41])
    emit_scalar("kLn2Hi", dtype, hi)
    emit_scalar("kLn2Lo", dtype, lo)
    emit_scalar("kLog2E", dtype, round_to(1 / mp.log(2), dtype))
    emit_parts("kLog2EParts", dtype, split(1 / mp.log(2), dtype, [p]))
    emit_parts("kLn2Parts", dtype, split(mp.log(2), dtype, [p]))
    emit_scalar("kTwoOverPi", dtype, round_to(2 / mp.pi, dtype))
    print("// pi/2 = sum of full-width parts, for targets with FMA.")
    for i, part in enumerate(split(mp.pi / 2, dtype, [p, p])):
        emit_scalar(f"kPio2Fma{i}", dtype, part)
    print("// pi/2 = sum of short parts, so n * part is exact without FMA.")
    w = 14 if dtype == "f32" else 33
    for i, part in enumerate(split(mp.pi / 2, dtype, [w, w, w])):
        emit_scalar(f"kPio2Short{i}", dtype, part)
    print()


def two_over_pi_words(words):
    print("// Bits of 2/pi after the binary point, 64 a word, after one word of zeros.")
    print("inline constexpr unsigned long long kTwoOverPiWords[] = {\n    0,")
    with mp.workprec(64 * words + 64):
        value = mp.floor(2 / mp.pi * mp.mpf(2) ** (64 * words))
        digits = int(value)
    for i in range(words):
        print(f"    0x{(digits >> (64 * (words - 1 - i))) & (2**64 - 1):016x},")
    print("};")


def main():
    print("// Written by coefficients.py; do not edit by hand.\n")
    for dtype in ("f32", "f64"):
        constants(dtype)
        exp_tables(dtype)
        log_tables(dtype)
        sin_tables(dtype)
        erf_tables(dtype)
        exp2_tables(dtype)
        log2_tables(dtype)
        sinh_tables(dtype)
        tanh_tables(dtype)
        sigmoid_tables(dtype)
    double_tables()
    two_over_pi_words(20)


if __name__ == "__main__":
    main()
