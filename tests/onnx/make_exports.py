"""Writes exports.tar.xz: small PyTorch models by both exporters, with inputs and ONNX Runtime's outputs.

    pip install torch onnx onnxscript onnxruntime       # versions of the committed archive: third_party/README.md
    python3 tests/onnx/make_exports.py tests/onnx/exports.tar.xz [TEXT]

Each model becomes the folders NAME.dynamo and NAME.script (torch.onnx.export with dynamo=True and False, at the
exporter's own opset), NAME.dynamo18 and NAME.dynamo23 of model.onnx and test_data_set_0/{input,output}_N.pb, the layout
of ONNX's own test data. functions.onnxscript has operators of its own, as functions with attributes.
"""

import io
import pathlib
import sys
import tarfile
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
import onnxscript
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from onnxscript import opset20 as op
from torch import nn


class Fn(nn.Module):
    """A function of its inputs and of the modules and parameters it is given by name."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.function(self, *inputs)


class Residual(nn.Module):
    """A block of a ResNet: two convolutions and what goes around them."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride, 1, bias=False),
            nn.BatchNorm2d(out),
            nn.ReLU(),
            nn.Conv2d(out, out, 3, 1, 1, bias=False),
            nn.BatchNorm2d(out),
        )
        self.around = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.main(x) + self.around(x))


class Inverted(nn.Module):
    """A block of a MobileNet V3: expanded, filtered by channel, squeezed and excited, projected."""

    def __init__(self, channels, wide):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.Hardswish())
        self.depth = nn.Sequential(
            nn.Conv2d(wide, wide, 3, 1, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6()
        )
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, 4, 1), nn.ReLU(), nn.Conv2d(4, wide, 1), nn.Hardsigmoid()
        )
        self.project = nn.Sequential(nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        y = self.depth(self.expand(x))
        return x + self.project(y * self.gate(y))


class UNet(nn.Module):
    """Down, up, and the features of the way down beside those of the way up."""

    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(8, 4, 2, 2)
        self.c = nn.Sequential(nn.Conv2d(8, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 2, 1))

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        return self.c(torch.cat([self.up(b), a], 1))


class CharGpt(nn.Module):
    """Two blocks of causal attention over characters."""

    def __init__(self, vocabulary=11, width=16, heads=2, length=6):
        super().__init__()
        self.heads = heads
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "n": nn.LayerNorm(width),
                    "qkv": nn.Linear(width, 3 * width),
                    "out": nn.Linear(width, width),
                    "m": nn.LayerNorm(width),
                    "up": nn.Linear(width, 2 * width),
                    "down": nn.Linear(2 * width, width),
                }
            )
            for _ in range(2)
        )
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        batch, length = ids.shape
        x = self.tokens(ids) + self.places(torch.arange(length))
        for block in self.blocks:
            parts = block["qkv"](block["n"](x)).chunk(3, -1)
            q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in parts)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + block["out"](y.transpose(1, 2).reshape(batch, length, -1))
            x = x + block["down"](F.gelu(block["up"](block["m"](x)), approximate="tanh"))
        return self.head(self.last(x))


def activations(_, x):
    """Every activation, one after the other in a new axis."""
    return torch.stack(
        [
            F.gelu(x),
            F.gelu(x, approximate="tanh"),
            F.silu(x),
            F.mish(x),
            F.elu(x),
            F.selu(x),
            F.celu(x),
            F.softplus(x),
            F.hardswish(x),
            F.hardsigmoid(x),
            F.leaky_relu(x, 0.1),
            F.softsign(x),
            F.logsigmoid(x),
            F.tanhshrink(x),
            F.relu6(x),
            F.hardtanh(x),
            torch.erf(x),
        ]
    )


def indexing(_, x, i):
    """Slices, gathers and scatters."""
    y = torch.gather(x, 1, i)
    z = torch.zeros_like(x).scatter_add(1, i, y)
    w = x.index_select(1, i[0]) + x[:, [0, 2, 1]]
    return y, z, w, x[:, ::2], x[1:, -1:], torch.where(x > 0, x, -x), x.roll(1, 0), x.flip(1)


def reductions(_, x):
    """Means, norms, extremes and what is sorted."""
    values, places = x.topk(2, -1)
    return (
        x.mean((1, 2)),
        x.var(1, unbiased=True),
        x.std(-1),
        x.norm(dim=1),
        x.amax(1),
        x.argmax(-1),
        x.cumsum(1),
        x.logsumexp(2),
        x.prod(2),
        values,
        places,
    )


def interpolations(_, x):
    """Up and down by every mode."""
    up = dict(size=(7, 9), mode="bilinear")
    return (
        F.interpolate(x, scale_factor=2, mode="nearest"),
        F.interpolate(x, **up, align_corners=False),
        F.interpolate(x, **up, align_corners=True),
        F.interpolate(x, size=(7, 9), mode="bicubic", align_corners=False),
    )


def antialiased(_, x):
    """Down, each result a mean of what it stands for."""
    return (
        F.interpolate(x, size=(3, 4), mode="bilinear", antialias=True),
        F.interpolate(x, size=(3, 4), mode="bicubic", antialias=True),
    )


def pools(_, x):
    """Pools of every kind."""
    return (
        F.max_pool2d(x, 3, 2, 1),
        F.avg_pool2d(x, 2, 2, ceil_mode=True),
        F.avg_pool2d(x, 3, 1, 1),
        F.adaptive_avg_pool2d(x, (2, 3)),
        F.adaptive_max_pool2d(x, 1),
        F.lp_pool2d(x, 2, 2),
    )


def losses(_, x, labels):
    """Softmax and the losses of classes and of numbers."""
    target = F.one_hot(labels, 5).float()
    return (
        F.softmax(x, -1),
        F.log_softmax(x, -1),
        F.cross_entropy(x, labels),
        F.nll_loss(F.log_softmax(x, 1), labels, reduction="none"),
        F.mse_loss(x, target),
        F.binary_cross_entropy_with_logits(x, target),
        F.smooth_l1_loss(x, target),
    )


def einsums(_, x, y):
    """Products by their letters."""
    return torch.einsum("bij,bjk->bik", x, y), torch.einsum("bij,bjk->ik", x, y), torch.einsum("bij->ji", x)


def fourier(_, x):
    """The spectrum of a real signal, and its power."""
    z = torch.view_as_real(torch.fft.rfft(x))
    return z, (z * z).sum(-1)


def norms(self, x):
    """Normalisations, of the last axis by a scale."""
    return F.layer_norm(x, (4,), self.scale), F.group_norm(x, 2), F.instance_norm(x), F.normalize(x)


def scaled(_, q, k, v, mask):
    """Attention with a mask of booleans."""
    return F.scaled_dot_product_attention(q, k, v, mask)


def normal(*shape):
    """Standard normal numbers."""
    return torch.randn(*shape)


def models():
    """name: (module, inputs)."""
    conv, image = nn.Conv2d, normal(2, 3, 8, 8)
    mha = nn.MultiheadAttention(8, 2, batch_first=True)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu")
    bag = nn.EmbeddingBag(10, 4, mode="mean")
    sequence = normal(5, 2, 3)
    return {
        "mlp": (
            nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 4), nn.Softmax(-1)),
            (normal(3, 6),),
        ),
        "conv": (
            nn.Sequential(
                conv(3, 4, 3, padding=1),
                nn.BatchNorm2d(4),
                nn.ReLU(),
                conv(4, 4, 3, 2, padding="valid"),
                nn.Flatten(),
                nn.Linear(36, 5),
            ),
            (image,),
        ),
        "conv_same": (nn.Sequential(conv(3, 4, 4, padding="same"), nn.Tanh(), conv(4, 4, 3, dilation=2)), (image,)),
        "conv_groups": (nn.Sequential(conv(3, 6, 3, groups=3), nn.PReLU(6), conv(6, 4, 1, groups=2)), (image,)),
        "conv1d3d": (
            Fn(lambda s, x, y: (s.a(x), s.b(y)), a=nn.Conv1d(3, 4, 3, 2), b=nn.Conv3d(2, 3, 2)),
            (normal(2, 3, 9), normal(1, 2, 4, 4, 4)),
        ),
        "conv_transpose": (
            nn.Sequential(
                nn.ConvTranspose2d(3, 4, 3, 2, 1, output_padding=1), nn.ReLU(), nn.ConvTranspose2d(4, 2, 2, groups=2)
            ),
            (normal(1, 3, 5, 5),),
        ),
        "norms": (Fn(norms, scale=nn.Parameter(normal(4))), (normal(2, 4, 4),)),
        "rms_norm": (nn.Sequential(nn.RMSNorm(4), nn.Linear(4, 4, bias=False)), (normal(2, 3, 4),)),
        "norm_layers": (
            nn.Sequential(
                nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True), nn.LayerNorm([4, 5])
            ),
            (normal(2, 4, 4, 5),),
        ),
        "activations": (Fn(activations), (normal(3, 5),)),
        "pools": (Fn(pools), (normal(1, 2, 6, 9),)),
        "interpolate": (Fn(interpolations), (normal(1, 2, 4, 5),)),
        "antialias": (Fn(antialiased), (normal(1, 2, 8, 9),)),
        "pixel_shuffle": (Fn(lambda _, x: F.pixel_unshuffle(F.pixel_shuffle(x, 2), 3)), (normal(1, 8, 3, 6),)),
        "pads": (
            Fn(
                lambda _, x: (
                    F.pad(x, (1, 2, 0, 1), "reflect"),
                    F.pad(x, (1, 1, 2, 0), "replicate"),
                    F.pad(x, (0, 3), value=2),
                    F.pad(x, (1, 1, 0, 2), "circular"),
                )
            ),
            (normal(1, 2, 4, 5),),
        ),
        "indexing": (Fn(indexing), (normal(3, 4), torch.tensor([[0, 2, 1], [3, 3, 0], [1, 0, 2]]))),
        "reductions": (Fn(reductions), (normal(2, 3, 4),)),
        "losses": (Fn(losses), (normal(4, 5), torch.tensor([1, 0, 4, 2]))),
        "einsum": (Fn(einsums), (normal(2, 3, 4), normal(2, 4, 2))),
        "embedding": (
            Fn(lambda s, i: s.e(i).sum(1) @ s.w, e=nn.Embedding(10, 4), w=nn.Parameter(normal(4, 3))),
            (torch.tensor([[1, 2, 3], [9, 0, 3]]),),
        ),
        "embedding_bag": (
            Fn(lambda s, i, o: s.bag(i, o), bag=bag),
            (torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 2])),
        ),
        "rnn": (Fn(lambda s, x: s.rnn(x), rnn=nn.RNN(3, 4)), (sequence,)),
        "lstm": (Fn(lambda s, x: s.rnn(x), rnn=nn.LSTM(3, 4, 2, bidirectional=True)), (sequence,)),
        "gru": (Fn(lambda s, x: s.rnn(x), rnn=nn.GRU(3, 4, batch_first=True)), (normal(2, 5, 3),)),
        "mha": (Fn(lambda s, x: s.mha(x, x, x, need_weights=True), mha=mha), (normal(2, 5, 8),)),
        "sdpa": (Fn(scaled), (normal(1, 2, 4, 8), normal(1, 2, 5, 8), normal(1, 2, 5, 8), torch.rand(4, 5) > 0.3)),
        "transformer": (layer, (normal(2, 5, 8),)),
        "char_gpt": (CharGpt(), (torch.randint(0, 11, (2, 6)),)),
        "resnet": (
            nn.Sequential(
                conv(3, 4, 3, 2, 1),
                Residual(4, 4, 1),
                Residual(4, 8, 2),
                nn.AdaptiveAvgPool2d(1),
                nn.Flatten(),
                nn.Linear(8, 5),
            ),
            (normal(1, 3, 12, 12),),
        ),
        "mobilenet": (
            nn.Sequential(conv(3, 6, 3, 2, 1), Inverted(6, 12), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 5)),
            (image,),
        ),
        "unet": (UNet(), (normal(1, 1, 8, 8),)),
        "autoencoder": (
            nn.Sequential(
                nn.Linear(12, 6), nn.SiLU(), nn.Linear(6, 2), nn.Linear(2, 6), nn.GELU(), nn.Linear(6, 12), nn.Sigmoid()
            ),
            (normal(3, 12),),
        ),
        "grid_sample": (
            Fn(
                lambda _, x, t: F.grid_sample(
                    x, F.affine_grid(t, (1, 2, 4, 5), align_corners=False), align_corners=False
                )
            ),
            (normal(1, 2, 5, 5), normal(1, 2, 3)),
        ),
        "fold": (Fn(lambda _, x: F.fold(F.unfold(x, 2), (5, 6), 2)), (normal(1, 2, 5, 6),)),
        "fft": (Fn(fourier), (normal(2, 8),)),
        "triangles": (
            Fn(lambda _, x: (x.tril(), x.triu(1), torch.linalg.vector_norm(x), x.clamp(-0.5, 0.5), x.round())),
            (normal(3, 4),),
        ),
        "integers": (
            Fn(lambda _, x: (x // 3, x % 3, x & 5, x << 1, x.to(torch.uint8), x == 4)),
            (torch.arange(-6, 6).reshape(3, 4),),
        ),
    }


LOCAL = onnxscript.values.Opset("local", 1)


@onnxscript.script(LOCAL, default_opset=op)
def bent(x, alpha: float = 2.0):
    """alpha tanh(x)."""
    return op.Tanh(x) * alpha


@onnxscript.script(LOCAL, default_opset=op)
def bent_twice(x, axis: int = 0):
    """With an attribute that is handed on, and a branch."""
    y = bent(bent(x, alpha=0.5))
    if op.ReduceMax(y, keepdims=0) > 10.0:
        z = op.Neg(y)
    else:
        z = op.Softmax(y, axis=axis)
    return z


@onnxscript.script(default_opset=op)
def functions(x: onnxscript.FLOAT[2, 3]) -> onnxscript.FLOAT[2, 3]:
    """What calls them."""
    return bent_twice(x, axis=1) + bent_twice(x)


def export(module, inputs, kind):
    """The bytes of the model, without what an exporter notes about where the source was."""
    buffer = io.BytesIO()
    if kind.startswith("dynamo"):
        opset = int(kind[6:]) if kind[6:] else None
        program = torch.onnx.export(module, inputs, dynamo=True, verbose=False, opset_version=opset)
        model = program.model_proto
    else:
        torch.onnx.export(module, inputs, buffer, dynamo=False)
        model = onnx.load_from_string(buffer.getvalue())
    strip(model)
    return model


def strip(message):
    """Drops names of files, stacks and shapes of intermediate values, everywhere in a message."""
    for field, value in message.ListFields():
        if field.name in ("metadata_props", "doc_string", "value_info"):
            message.ClearField(field.name)
        elif field.message_type:
            for inner in value if not hasattr(value, "ListFields") else [value]:
                strip(inner)


def write(folder, model, inputs):
    """One export with its data."""
    data = model.SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    feeds = {i.name: t.numpy() for i, t in zip(session.get_inputs(), inputs)}
    outputs = session.run(None, feeds)
    (folder / "test_data_set_0").mkdir(parents=True)
    (folder / "model.onnx").write_bytes(data)
    for kind, values in (("input", feeds.values()), ("output", outputs)):
        for n, value in enumerate(values):
            tensor = numpy_helper.from_array(np.asarray(value)).SerializeToString()
            (folder / "test_data_set_0" / f"{kind}_{n}.pb").write_bytes(tensor)


def main():
    torch.manual_seed(0)
    warnings.simplefilter("ignore")
    text = sys.argv[2] if len(sys.argv) > 2 else ""
    count, failed = 0, []
    with tempfile.TemporaryDirectory() as root:
        for name, (module, inputs) in models().items():
            module.eval()
            for kind in ("dynamo", "dynamo18", "dynamo23", "script"):
                if text not in f"{name}.{kind}":
                    continue
                try:
                    model = export(module, inputs, kind)
                    write(pathlib.Path(root) / f"{name}.{kind}", model, inputs)
                    count += 1
                except Exception as error:  # the exporter or ONNX Runtime does not have it
                    failed.append(f"{name}.{kind}: {str(error).splitlines()[0][:150]}")
        if text in "functions.onnxscript":
            model = functions.to_model_proto()
            write(pathlib.Path(root) / "functions.onnxscript", model, [normal(2, 3)])
            count += 1
        with tarfile.open(sys.argv[1], "w:xz") as archive:
            for path in sorted(pathlib.Path(root).rglob("*")):
                if path.is_file():
                    entry = tarfile.TarInfo(str(path.relative_to(root)))
                    entry.size = path.stat().st_size
                    with path.open("rb") as file:
                        archive.addfile(entry, file)
    print(f"torch {torch.__version__}, onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}: {count} exports")
    for line in failed:
        print("not exported:", line)


if __name__ == "__main__":
    main()
