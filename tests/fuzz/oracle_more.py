"""reel's products, windows, normalisations, losses and linear algebra in PyTorch."""

import math

import torch
import torch.nn.functional as F

from twins import Missing, T, twin

# --- products ---

T["matmul"] = torch.matmul
T["einsum"] = torch.einsum
T["outer"] = torch.outer
T["vecdot"] = lambda a, b: torch.sum(a * b, -1)
T["tensordot"] = lambda a, b, axes: torch.tensordot(a, b, axes)


# --- windows: channels last to channels first and back ---


def first(x):
    return x.movedim(-1, 1)


def last(x):
    return x.movedim(1, -1)


def _pads(x, window, strides, dilation, padding):
    out = []
    for n, k, s, d in zip(x.shape[2:], window, strides, dilation):
        reach = (k - 1) * d + 1
        if padding == "valid":
            out.append((0, 0))
        elif padding == "same":
            total = max((math.ceil(n / s) - 1) * s + reach - n, 0)
            out.append((total // 2, total - total // 2))
        else:
            out.append((padding, padding))
    return out


def conv(d):
    g = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[d]

    def call(x, w, strides=1, padding="valid", dilation=1):
        x = first(x)
        pads = _pads(x, w.shape[:d], (strides,) * d, (dilation,) * d, padding)
        x = F.pad(x, [n for pair in reversed(pads) for n in pair])
        if not x.shape[1]:  # torch's result has no channels, then, instead of sums of nothing
            x, w = F.pad(x, (0, 0) * d + (0, 1)), F.pad(w, (0, 0, 0, 1))
        return last(g(x, w.permute(d + 1, d, *range(d)), stride=strides, dilation=dilation))

    return call


for _d in (1, 2, 3):
    T[f"nn.conv{_d}d"] = conv(_d)


@twin("nn.depthwise_conv2d")
def depthwise(x, w, strides=1, padding="same"):
    x = first(x)
    kh, kw, c, multiplier = w.shape
    pads = _pads(x, (kh, kw), (strides,) * 2, (1, 1), padding)
    x = F.pad(x, [n for pair in reversed(pads) for n in pair])
    return last(F.conv2d(x, w.permute(2, 3, 0, 1).reshape(c * multiplier, 1, kh, kw), stride=strides, groups=c))


def pool(d, which):
    def call(x, k, strides=None, padding="valid", ceil_mode=False, dilation=1, count_include_pad=False):
        if ceil_mode or (which == "avg" and padding == "same"):
            raise Missing("ceil_mode")
        x, s = first(x), strides or k
        pads = _pads(x, (k,) * d, (s,) * d, (dilation,) * d, padding)
        flat = [n for pair in reversed(pads) for n in pair]
        if which == "avg":
            return last({1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}[d](x, k, s))
        x = F.pad(x, flat, value=-math.inf)
        return last({1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}[d](x, k, s, dilation=dilation))

    return call


for _d in (1, 2, 3):
    for _w in ("max", "avg"):
        T[f"nn.{_w}_pool{_d}d"] = pool(_d, _w)
T["nn.global_max_pool"] = lambda x: torch.amax(x, tuple(range(1, x.ndim - 1)))
T["nn.global_avg_pool"] = lambda x: torch.mean(x, tuple(range(1, x.ndim - 1)))

# --- rows ---

T["nn.softmax"] = lambda x, axis=-1: torch.softmax(x, axis)
T["nn.log_softmax"] = lambda x, axis=-1: torch.log_softmax(x, axis)


@twin("nn.layer_normalize")
def layer_normalize(x, scale=None, offset=None, epsilon=1e-5):
    y = (x - x.mean(-1, keepdim=True)) * torch.rsqrt(torch.var(x, -1, correction=0, keepdim=True) + epsilon)
    return (y if scale is None else y * scale) + (0 if offset is None else offset)


@twin("nn.rms_normalize")
def rms_normalize(x, scale=None, epsilon=1e-6):
    y = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + epsilon)
    return y if scale is None else y * scale


@twin("nn.l2_normalize")
def l2_normalize(x, epsilon=1e-12):
    return x / torch.clamp(torch.linalg.vector_norm(x, dim=-1, keepdim=True), min=epsilon)


@twin("nn.batch_normalize")
def batch_normalize(x, mean, variance, epsilon):
    return (x - mean) * torch.rsqrt(variance + epsilon)


@twin("nn.group_normalize")
def group_normalize(x, groups, epsilon):
    return last(F.group_norm(first(x), groups, eps=epsilon)) if x.ndim > 2 else F.group_norm(x, groups, eps=epsilon)


@twin("nn.moments")
def moments(x, axis=None, keepdims=False):
    return T["mean"](x, axis, keepdims), T["var"](x, axis, keepdims)


@twin("nn.attention")
def attention(q, k, v, causal=False):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -math.inf)
    return torch.softmax(scores, -1) @ v


T["nn.glu"] = lambda x: F.glu(x)


def loss(g):
    def call(x, y, reduction="mean", **options):
        value = g(x, y, **options)
        return value.mean() if reduction == "mean" else value.sum() if reduction == "sum" else value

    return call


T["nn.mean_squared_error"] = loss(lambda x, y: (x - y) ** 2)
T["nn.mean_absolute_error"] = loss(lambda x, y: (x - y).abs())
T["nn.log_cosh"] = loss(lambda x, y: torch.logaddexp(x - y, y - x) - math.log(2))
T["nn.huber"] = loss(lambda x, y: F.huber_loss(x, y, reduction="none"))
T["nn.sigmoid_cross_entropy"] = loss(lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"))


def _margin(x, y):
    """Whose slope at 0 is that of 1 - x y, the first operand of reel's maximum."""
    value = 1 - x * y
    return torch.where(value >= 0, value, 0)


T["nn.hinge"] = loss(_margin)
T["nn.squared_hinge"] = loss(lambda x, y: _margin(x, y) ** 2)


@twin("nn.softmax_cross_entropy")
def softmax_cross_entropy(x, labels, label_smoothing=0.0, reduction="mean"):
    return F.cross_entropy(x, labels.to(torch.int64), label_smoothing=label_smoothing, reduction=reduction)


# --- linear algebra, transforms ---

T["linalg.cholesky"], T["linalg.inv"], T["linalg.det"] = torch.linalg.cholesky, torch.linalg.inv, torch.linalg.det
T["linalg.solve"], T["linalg.slogdet"] = torch.linalg.solve, torch.linalg.slogdet
T["linalg.eigvalsh"] = torch.linalg.eigvalsh
T["linalg.triangular_solve"] = lambda a, b: torch.linalg.solve_triangular(a, b, upper=False)
T["fft.rfft"], T["fft.fft"] = torch.fft.rfft, torch.fft.fft
T["fft.irfft"] = lambda x, n: torch.fft.irfft(x, n=n)
