"""PyTorch's list of core ATen operators (2.14: those with torch.Tag.core), and the page of what Reel has of it."""

from __future__ import annotations

from .. import _core
from . import _run

CORE = """
_adaptive_avg_pool2d.default _adaptive_avg_pool2d_backward.default _adaptive_avg_pool3d.default
_cdist_forward.default _embedding_bag.default _fft_c2r.default _fft_r2c.default _local_scalar_dense.default
_log_softmax.default _native_batch_norm_legit.default _native_batch_norm_legit.no_stats
_native_batch_norm_legit_no_training.default _pdist_forward.default _softmax.default _to_copy.default abs.default
acos.default acosh.default adaptive_avg_pool1d.default add.Scalar add.Tensor addmm.default alias.default
amax.default amin.default any.default any.dim any.dims arange.start_step argmax.default argmin.default
as_strided.default asin.default asinh.default atan.default atan2.default atan2.out atanh.default avg_pool1d.default
avg_pool2d.default avg_pool2d_backward.default avg_pool3d.default bitwise_and.Scalar bitwise_and.Tensor
bitwise_not.default bitwise_or.Scalar bitwise_or.Tensor bitwise_xor.Scalar bitwise_xor.Tensor bmm.default
cat.default ceil.default clamp.Tensor clamp.default clone.default col2im.default constant_pad_nd.default
convolution.default convolution_backward.default copy.default cos.default cosh.default cumsum.default
diagonal.default div.Scalar div.Scalar_mode div.Tensor div.Tensor_mode elu.default embedding.default
embedding_dense_backward.default empty.memory_format empty_strided.default eq.Scalar eq.Tensor erf.default
exp.default expand.default expm1.default fill.Scalar flip.default floor.default fmod.Scalar fmod.Tensor
full.default full_like.default gather.default ge.Scalar ge.Tensor gelu.default grid_sampler_2d.default gt.Scalar
gt.Tensor hardtanh.default index.Tensor index_put.default index_select.default isinf.default isnan.default
le.Scalar le.Tensor leaky_relu.default log.default log10.default log1p.default log2.default logical_and.default
logical_not.default logical_or.default logical_xor.default lt.Scalar lt.Tensor masked_scatter.default max.dim
max_pool2d_with_indices.default max_pool2d_with_indices_backward.default max_pool3d_with_indices.default
maximum.default mean.default mean.dim min.dim minimum.default mm.default mul.Scalar mul.Tensor
native_dropout.default native_group_norm.default native_group_norm_backward.default native_layer_norm.default
native_layer_norm_backward.default ne.Scalar ne.Tensor neg.default nonzero.default permute.default pow.Scalar
pow.Tensor_Scalar pow.Tensor_Tensor prod.default prod.dim_int rand.default randn.default randperm.default
reciprocal.default reflection_pad1d.default reflection_pad2d.default reflection_pad3d.default relu.default
remainder.Scalar remainder.Tensor repeat.default replication_pad2d.default replication_pad3d.default
resize_.default round.default rsqrt.default scalar_tensor.default scatter.src scatter.value scatter_add.default
scatter_reduce.two select.int select_scatter.default sigmoid.default sign.default sin.default sinh.default
slice.Tensor slice_scatter.default sort.default split_with_sizes.default sqrt.default squeeze.dim squeeze.dims
sub.Scalar sub.Tensor sum.dim_IntList sym_is_contiguous.default sym_numel.default sym_size.int
sym_storage_offset.default sym_stride.int tan.default tanh.default topk.default trunc.default unsqueeze.default
upsample_bilinear2d.vec upsample_nearest2d.vec var.correction var.dim view.default where.self
""".split()

WHY_NOT = {
    "atan2.out": "writes into an argument; in the graphs that PyTorch exports or compiles it is atan2.default",
    "resize_.default": "changes how much memory a tensor has; tensors of Reel never change",
}


def rows() -> list[tuple[str, bool, str]]:
    """Of every core operator: its name, whether Reel has it, and a remark."""
    out = []
    for name in CORE:
        row = _run.TABLE.get("aten." + name)
        remark = "at once, not in compiled programs: what it gives depends on values" if row and row.eager else ""
        out.append((name, row is not None, WHY_NOT.get(name, remark)))
    return out


def page() -> str:
    """The text of frontend/IMPORT.md."""
    found = rows()
    done = sum(have for _, have, _ in found)
    stablehlo = _core._stablehlo_operations()  # type: ignore[attr-defined]
    calls = [name for name, _, _ in stablehlo if name.startswith("custom_call")]
    lines = [
        "# What Reel reads of other programs' operators",
        "",
        "Written by `tests/python/test_torch.py` with `REEL_UPDATE_GOLDEN=1`, from the tables in the code.",
        "",
        f"PyTorch: {done} of the {len(found)} operators of its core ATen list, to which it decomposes all others"
        f' (`reel.from_torch`, `torch.compile(backend="reel")`); {len(_run.TABLE)} rows with those that need not be'
        " decomposed.",
        "",
        f"StableHLO, which JAX (`reel.from_jax`), IREE and PyTorch write: {sum(have for _, have, _ in stablehlo)} of"
        f" {len(stablehlo)} (`reel.stablehlo.load`, `reel convert`); {len(calls)} of them are what `custom_call` may name.",
        "",
        "| source | operator | | |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| PyTorch | `{name}` | {'done' if have else 'no'} | {remark} |" for name, have, remark in found]
    lines += [f"| StableHLO | `{name}` | {'done' if have else 'no'} | {remark} |" for name, have, remark in stablehlo]
    return "\n".join(lines) + "\n"
