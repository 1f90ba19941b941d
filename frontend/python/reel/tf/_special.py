"""Bessel functions of an imaginary argument: sums of Chebyshev polynomials, those in |x| / 4 - 1 up to 8 and those in
16 / |x| - 1 from there on, whose coefficients interpolate the functions. Gradients are those of the sums."""

from __future__ import annotations as _annotations

import typing as _t

from .. import _core
from ._convert import to_core as _to_core
from ._tensor import wrap as _wrap
from ._trace import all_in_graph as _all_in_graph

if _t.TYPE_CHECKING:
    from ..typing import TensorLike as ArrayLike
    from ._tensor import Tensor as _Tensor

# i0(x) e^-x; the same times sqrt(x); i1(x) e^-x / x; i1(x) e^-x sqrt(x).
_I0_NEAR = (
    0.33839763720473803,
    -0.30468267234319835,
    0.17162090152220877,
    -0.09490109704804767,
    0.0493052842396708,
    -0.023737414805899554,
    0.010546460394595173,
    -0.004324309995050707,
    0.0016394756169415148,
    -0.0005763755745387296,
    0.00018850288509601222,
    -5.754195010099564e-05,
    1.6448448071040844e-05,
    -4.416738358714589e-06,
    1.1173875395405208e-06,
    -2.6707938580519675e-07,
    6.046995090769336e-08,
    -1.3000250612127395e-08,
    2.659824513417952e-09,
    -5.189800915406106e-10,
    9.675882664539337e-11,
    -1.7268769747502688e-11,
    2.9557259417778425e-12,
    -4.860903346504131e-13,
    7.728540030171871e-14,
    -1.2087553180606392e-14,
)
_I0_FAR = (
    0.40224520550705434,
    0.003369116478255705,
    6.889758346913991e-05,
    2.891370520811206e-06,
    2.0489185886391354e-07,
    2.266668989255786e-08,
    3.396231919626193e-09,
    4.940602328960499e-10,
    1.1889028223449189e-11,
    -3.1499162252893814e-11,
    -1.3215998808145347e-11,
    -1.7941759189454842e-12,
    7.179427992280824e-13,
    3.85264993756454e-13,
    1.56829677449694e-14,
    -4.151486846600742e-14,
    -9.246876768560678e-15,
    3.843079700625542e-15,
)
_I1_NEAR = (
    0.12629359322181682,
    -0.17641651835783412,
    0.10264365868984712,
    -0.052945981208095044,
    0.024726449030626586,
    -0.010564084894626269,
    0.004156422944312968,
    -0.00151357245063132,
    0.0005122859561686455,
    -0.00016176081582596272,
    4.781565107559241e-05,
    -1.3273163656150541e-05,
    3.470251308273012e-06,
    -8.568720266371316e-07,
    2.003294755463514e-07,
    -4.445059153569686e-08,
    9.381537685593244e-09,
    -1.8872500541500248e-09,
    3.625593644751568e-10,
    -6.663519909466675e-11,
    1.1736497190772965e-11,
    -1.984242631314359e-12,
    3.2265509708473417e-13,
    -5.0660864392426674e-14,
    7.820133429703446e-15,
)
_I1_FAR = (
    0.38928811750914005,
    -0.009761097491361474,
    -0.00011058893876265002,
    -3.882564808868403e-06,
    -2.5122362384405886e-07,
    -2.631468847098699e-08,
    -3.835380483293486e-09,
    -5.589743582531307e-10,
    -1.8975099269624707e-11,
    3.252606303952085e-11,
    1.4125638692929189e-11,
    2.0356408866243434e-12,
    -7.198974322647062e-13,
    -4.083767015956169e-13,
    -2.073448250701386e-14,
    4.2706223173201335e-14,
    1.0739272718970264e-14,
    -3.811054036453663e-15,
)


def _sum(coefficients, t):
    """The sum of coefficients times Chebyshev polynomials at t, by Clenshaw's recurrence."""
    last, before = coefficients[-1] + 0 * t, 0.0
    for c in coefficients[-2:0:-1]:
        last, before = 2 * t * last - before + c, last
    return t * last - before + coefficients[0]


def _i0e(x):
    size = _core.abs(x)
    is_near = size <= 8
    inner, outer = _core.where(is_near, size, 8.0), _core.where(is_near, 8.0, size)  # harmless where the other is taken
    return _core.where(is_near, _sum(_I0_NEAR, inner / 4 - 1), _sum(_I0_FAR, 16 / outer - 1) / _core.sqrt(outer))


def _i1e(x):
    size = _core.abs(x)
    is_near = size <= 8
    inner, outer = _core.where(is_near, x, 8.0), _core.where(is_near, 8.0, size)
    far = _core.sign(x) * (_sum(_I1_FAR, 16 / outer - 1) / _core.sqrt(outer))
    return _core.where(is_near, inner * _sum(_I1_NEAR, _core.abs(inner) / 4 - 1), far)


def _floating(op, x):
    t = _to_core(x)
    if not t.dtype.is_floating:
        raise _core.InvalidTypeError(f"{op}: the tensor must be floating, not {t.dtype.name}; use tf.cast")
    return t


def bessel_i0e(x: ArrayLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind and order 0, times e^-|x|."""
    return _wrap(_i0e(_floating("bessel_i0e", x)))


def bessel_i1e(x: ArrayLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind and order 1, times e^-|x|."""
    return _wrap(_i1e(_floating("bessel_i1e", x)))


def bessel_i0(x: ArrayLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind and order 0."""
    t = _floating("bessel_i0", x)
    return _wrap(_core.exp(_core.abs(t)) * _i0e(t))


def bessel_i1(x: ArrayLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind and order 1."""
    t = _floating("bessel_i1", x)
    return _wrap(_core.exp(_core.abs(t)) * _i1e(t))


_all_in_graph(globals())
