#!/usr/bin/env python3
"""Derives the constants of the special functions and prints special_coefficients.inc.

Run:  python3 codegen/math/special_coefficients.py > codegen/math/special_coefficients.inc
in an environment with mpmath; the fit is that of coefficients.py.
"""

import mpmath as mp
from coefficients import around_zero, emit_scalar, emit_table, fit, literal, round_to, split

ONE = lambda x: mp.mpf(1)


def removable(f, points):
    """f, extended to its removable singularities by the mean of two points at 1e-20."""

    def extended(x):
        for p in points:
            if abs(x - p) < mp.mpf(10) ** -20:
                h = mp.mpf(10) ** -20
                return (f(p + h) + f(p - h)) / 2
        return f(x)

    return extended


def table(name, f, lo, hi, degree, note, weight=ONE):
    c, e = fit(f, weight, lo, hi, degree, "f64")
    emit_table(name, "f64", c, e, note)


def list_of(name, values, note):
    print(f"// {note}.")
    print(f"inline constexpr double {name}[] = {{")
    for v in values:
        print(f"    {literal(round_to(v, 'f64'), 'f64')},")
    print("};\n")


def erfcx_table():
    # x = 4 (1 + t) / (1 - t)
    x_of = lambda t: 4 * (1 + t) / (1 - t)
    erfcx = lambda x: mp.erfc(x) * mp.exp(x * x)
    table(
        "kErfcx",
        lambda t: erfcx(x_of(t)) * (1 + 2 * x_of(t)),
        -1,
        mp.mpf(24) / 32,
        24,
        "exp(x^2) erfc(x) (1 + 2x) of t = (x - 4) / (x + 4), 0 <= x <= 28",
    )


def gamma_tables():
    f = removable(lambda z: mp.loggamma(z) / ((z - 1) * (z - 2)), [1, 2])
    table(
        "kLgamma",
        lambda v: f(v + mp.mpf("1.5")),
        mp.mpf("-0.76"),
        mp.mpf("0.76"),
        27,
        "log gamma(z) / ((z - 1) (z - 2)) of v = z - 3/2, |v| <= 0.76",
    )
    root = mp.findroot(mp.digamma, mp.mpf("1.46"))
    print("// The positive zero of digamma.")
    for name, part in zip(("kDigammaRootHi", "kDigammaRootLo"), split(root, "f64", [53])):
        emit_scalar(name, "f64", part)
    g = removable(lambda z: mp.digamma(z) / (z - root), [root])
    table(
        "kDigamma",
        lambda v: g(v + mp.mpf("1.5")),
        mp.mpf("-0.51"),
        mp.mpf("0.51"),
        22,
        "digamma(z) / (z - root) of v = z - 3/2, |v| <= 0.51",
    )
    top = mp.mpf(1) / 64
    stirling = lambda x: mp.loggamma(x) - ((x - mp.mpf("0.5")) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)
    table(
        "kStirling",
        lambda r: stirling(1 / mp.sqrt(r)) / mp.sqrt(r) if r > mp.mpf(10) ** -16 else mp.mpf(1) / 12 - r / 360,
        0,
        top,
        7,
        "x (log gamma(x) - (x - 1/2) log x + x - log(2 pi)/2) of r = 1/x^2, x >= 8",
    )
    tail = lambda x: (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) * x * x
    table(
        "kDigammaTail",
        lambda r: tail(1 / mp.sqrt(r)) if r > mp.mpf(10) ** -16 else mp.mpf(1) / 12 - r / 120,
        0,
        top,
        7,
        "x^2 (log x - 1/(2x) - digamma(x)) of r = 1/x^2, x >= 8",
    )


def trig_tables():
    pi = mp.pi
    s = around_zero(lambda u: mp.sin(pi * mp.sqrt(u)) / mp.sqrt(u) - pi, [mp.mpf(0), -(pi**3) / 6, pi**5 / 120])
    table(
        "kSinPi",
        lambda u: s(u) / u if u > mp.mpf(10) ** -12 else -(pi**3) / 6 + u * pi**5 / 120,
        0,
        mp.mpf("0.2501"),
        7,
        "(sin(pi r)/r - pi)/u of u = r^2, |r| <= 1/2",
        lambda u: u,
    )
    for name, part in zip(("kPiHi", "kPiLo"), split(pi, "f64", [53])):
        emit_scalar(name, "f64", part)
    print()


def temme_table(orders, terms):
    """Coefficients d[k][n] of C_k(eta) = sum d[k][n] eta^n in Q(a, x) = erfc(eta sqrt(a/2))/2 +
    exp(-a eta^2/2)/sqrt(2 pi a) sum C_k(eta) a^-k (DLMF 8.12.7 to 8.12.13)."""
    n_max = terms + 2 * orders + 4
    # mu = eta + a_2 eta^2 + ... solves mu - log(1 + mu) = eta^2 / 2: mu dmu/deta = eta (1 + mu).
    a = [mp.mpf(0), mp.mpf(1)]
    for n in range(2, n_max + 2):
        known = sum((k * a[k]) * a[n + 1 - k] for k in range(2, n))
        a.append((a[n - 1] - known) / (n + 1))
    # C_0 = 1/mu - 1/eta: the series of eta/mu, shifted.
    ratio = a[1:]
    inverse = [mp.mpf(1)]
    for n in range(1, len(ratio)):
        inverse.append(-sum(ratio[k] * inverse[n - k] for k in range(1, n + 1)))
    first = inverse[1:]
    rows = [first]
    # eta C_k = C_(k-1)' + gamma_k eta/mu, where the constant terms cancel: C_(k-1)[1] = -gamma_k.
    for _ in range(1, orders):
        previous = rows[-1]
        gamma_k = -previous[1]
        rows.append([(n + 2) * previous[n + 2] + gamma_k * inverse[n + 1] for n in range(len(previous) - 2)])
    print(f"// d[k][n], k < {orders}, n < {terms}: C_k(eta) = sum d[k][n] eta^n (DLMF 8.12).")
    print(f"inline constexpr double kTemme[{orders}][{terms}] = {{")
    for row in rows:
        print("    {" + ", ".join(literal(round_to(v, "f64"), "f64") for v in row[:terms]) + "},")
    print("};\n")


def main():
    print("// Written by special_coefficients.py; do not edit by hand.\n")
    erfcx_table()
    gamma_tables()
    trig_tables()
    list_of("kLogSeries", [mp.mpf(1) / (2 * k + 3) for k in range(20)], "1/3, 1/5, ...: (atanh(s) - s) / s^3 of s^2")
    list_of(
        "kZetaTail",
        [mp.bernoulli(2 * j) / mp.factorial(2 * j) for j in range(1, 13)],
        "B_2j / (2j)!, j from 1: the Euler-Maclaurin formula",
    )
    temme_table(10, 18)
    emit_scalar("kLogTwoPiHalf", "f64", round_to(mp.log(2 * mp.pi) / 2, "f64"))


if __name__ == "__main__":
    main()
