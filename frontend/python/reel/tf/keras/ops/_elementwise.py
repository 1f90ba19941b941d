"""keras.ops: functions of elements, and reductions, by the tables of _numpy_rules."""

from __future__ import annotations as _annotations

from ._common import binary as _binary
from ._common import exported as _exported
from ._common import publish as _publish
from ._common import reduction as _reduction
from ._common import unary as _unary

_UNARY = """abs:|x| absolute=abs:|x| arccos:acos(x) arccosh:acosh(x) arcsin:asin(x) arcsinh:asinh(x) arctan:atan(x)
arctanh:atanh(x) bitwise_invert=bitwise_not:~x bitwise_not:~x cbrt:the_cube_root ceil:rounded_up conj:the_conjugate
conjugate=conj:the_conjugate cos:cos(x) cosh:cosh(x) deg2rad:degrees_as_radians exp:e^x exp2:2^x expm1:e^x_-_1 fabs=abs:|x|
floor:rounded_down imag:the_imaginary_part isfinite:whether_finite isinf:whether_infinite isnan:whether_NaN
isneginf:whether_-inf isposinf:whether_inf isreal:whether_the_imaginary_part_is_0 log:ln(x) log10:the_logarithm_to_base_10
log1p:ln(1_+_x) log2:the_logarithm_to_base_2 logical_not:whether_zero negative:-x rad2deg:radians_as_degrees
real:the_real_part reciprocal:1_/_x sign:-1,_0_or_1 signbit:whether_the_sign_bit_is_set sin:sin(x) sinc:sin(pi_x)_/_(pi_x)
sinh:sinh(x) sqrt:the_square_root square:x^2 tan:tan(x) tanh:tanh(x) trunc:rounded_towards_zero"""
_BINARY = """add:x1_+_x2 arctan2:the_angle_of_(x2,_x1) divide:x1_/_x2 true_divide=divide:x1_/_x2
divide_no_nan:x1_/_x2,_0_where_x2_is equal:x1_==_x2 floor_divide:x1_//_x2 fmod:the_remainder_with_the_sign_of_x1
gcd:the_greatest_common_divisor greater:x1_>_x2 greater_equal:x1_>=_x2 heaviside:0,_x2_or_1_by_the_sign_of_x1
hypot:sqrt(x1^2_+_x2^2) lcm:the_least_common_multiple less:x1_<_x2 less_equal:x1_<=_x2 logaddexp:ln(e^x1_+_e^x2)
logaddexp2:log2(2^x1_+_2^x2) logical_and:whether_both_are_not_zero logical_or:whether_one_is_not_zero
logical_xor:whether_one_alone_is_not_zero maximum:the_larger minimum:the_smaller mod:the_remainder_with_the_sign_of_x2
multiply:x1_x2 nextafter:the_next_number_towards_x2 not_equal:x1_!=_x2 power:x1^x2 subtract:x1_-_x2"""
_BITS = """bitwise_and:bits_of_both bitwise_or:bits_of_one bitwise_xor:bits_of_one_alone bitwise_left_shift:x_<<_y
bitwise_right_shift:x_>>_y left_shift=bitwise_left_shift:x_<<_y right_shift=bitwise_right_shift:x_>>_y"""
_REDUCTIONS = """all:whether_all_are_not_zero any:whether_one_is_not_zero amax=max:the_largest amin=min:the_smallest
mean:the_mean nanmax:the_largest_but_NaN nanmean:the_mean_without_NaN nanmin:the_smallest_but_NaN
nanprod:the_product_without_NaN nanstd:the_standard_deviation_without_NaN nansum:the_sum_without_NaN
nanvar:the_variance_without_NaN ptp:the_largest_less_the_smallest std:the_standard_deviation sum:the_sum var:the_variance"""


def _define(table, make, end, **options):
    for word in table.split():
        head, _, text = word.partition(":")
        name, _, like = head.partition("=")
        doc = text.replace("_", " ")
        globals()[name] = make(name, doc[0].upper() + doc[1:] + end, like or None, **options)


_define(_UNARY, _unary, ", element by element.")
_define(_BINARY, _binary, ", element by element.")
_define(_BITS, _binary, ", element by element.", names="x")
_define(_REDUCTIONS, _reduction, " along axes, of all elements unless given.")
_publish(globals())
__all__ = _exported(globals())
