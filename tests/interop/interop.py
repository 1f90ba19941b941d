"""Runs what write_cases wrote in JAX (XLA on the CPU), IREE or TensorFlow, and compares with Reel's reference evaluator.

    write_cases stablehlo FOLDER; python3 interop.py FOLDER [--backend iree] [--op conv ...]

Needs jax, or iree-base-compiler and iree-base-runtime, or tensorflow: `third_party/setup interop` installs them."""

import argparse
import collections
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

# How much further than Reel's compiled code a backend may be: its functions have their own errors. Those of lgamma and
# its derivatives are absolute near their zeros, in units of the precision that they are computed in.
SLACK = 128.0
ABSOLUTE = {"lgamma": 64.0, "digamma": 64.0, "polygamma": 64.0}
# Functions of halves and of numbers near 0 differ in their last bits, and some backends have no denormal numbers.
FLOOR = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
FLOOR |= {"complex64": 2.0**-126, "complex128": 2.0**-1022}


# The cases that are left out: patterns of their names, and what is known of the backend's fault.
XLA = {
    "^asin f32 random bits$": "half of its argument may be a denormal number, which XLA takes for 0",
    " padding 1099511627776 -1099511627776 dilations 2 1$": "paddings of 2^40 overflow in its convolutions",
    " (largest|smallest)$": "a division by a constant is a product with its reciprocal, no normal number there",
    "^cholesky f(32|64).9,2,2. special$": "the factor of a matrix with an infinity is NaN",
}
LEFT_OUT = {
    "jax": XLA | {"^erfc_inv f64 random bits$": "erfc is 0 where it is near the smallest number"},
    "iree": XLA
    | {
        "^erfc_inv f64 random bits$": "erfc is 0 where it is near the smallest number",
        "^cholesky|^triangular_solve|^cbrt f64|^reverse u": "not legalized by IREE 3.13",
        "^all_gather|^all_reduce|^all_to_all|^broadcast_from|^reduce_scatter": "IREE's local devices have no collectives",
        "^eigh|^svd": "IREE 3.13 crashes, or says that its translation to LLVM failed",
        "^scatter_(add|mul|min|max) .* at i64.0. *$": "it crashes over a scatter of no updates",
        "^cbrt b?f16 special values$": "cbrt of an infinity is NaN",
        "^(sin|cos) b?f(16|32) (shapes|larger than L2|special values|random bits)$": "angles lose bits",
        "^(log1p|asinh) f64 random bits$": "log1p of 1e-82 is 0",
        "^argsort": "sorts work in place: two in one program, as in these cases, overwrite each other's places",
    },
    "tensorflow": {
        "^erfc_inv f64 random bits$": "erfc is 0 where it is near the smallest number",
        "^igammac? .* tails$": "its series ends after 2000 terms, too early for a above 1e6",
        "^igammac? (bf16|f32|f64) edges$": "it is 1 - P for small a",
    },
}

# What a compiler says, of any case, when the fault is its own; at most one case in CRASHES_AT_MOST may be left out for it.
CRASHES = {
    "Please report issues to https://github.com/iree-org": "IREE's compiler crashes",
    "failed to legalize operation 'stablehlo": "not legalized by IREE 3.13",
}
CRASHES_AT_MOST = 50


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


class Values:
    """Arrays of values.bin."""

    def __init__(self, folder):
        self.bytes = np.memmap(folder / "values.bin", np.uint8, "r")

    def array(self, about, at=None, dtype=None):
        dtype = dtype or dtype_of(about["dtype"])
        size = int(np.prod(about["shape"], dtype=np.int64)) * dtype.itemsize
        at = about["at"] if at is None else at
        return self.bytes[at : at + size].view(dtype).reshape(about["shape"])


class StableHlo:
    """The text of an entry point, and the variables among its arguments or results; None for others."""

    def export(self, module, entry):
        import reel

        return reel.stablehlo.text(module, entry=entry)

    def variables(self, text, kind):
        signature = next(line for line in text.splitlines() if "@main(" in line)
        arguments, results = signature.split(") -> (")
        found = re.findall(r'\{reel\.(variable|name) = "([^"]*)"\}', arguments if kind == "arguments" else results)
        return [name if what == "variable" else None for what, name in found]


class Jax(StableHlo):
    """The text compiled by XLA for the CPU."""

    def __init__(self):
        import jax
        from jaxlib import xla_client

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        self.jax, self.xla = jax, xla_client
        self.device = jax.devices()[0]
        self.devices = xla_client.DeviceList((self.device,))

    def compile(self, text):
        program = self.device.client.compile_and_load(text, self.devices, self.xla.CompileOptions())

        def run(*arguments):
            out = program.execute_sharded([self.jax.device_put(np.array(a)) for a in arguments])
            return [np.asarray(a[0]) for a in out.disassemble_into_single_device_arrays()]

        return run


# What LLVM calls to round to bf16 on CPUs without an instruction for it; libgcc has it from GCC 13 on. _Float16 is returned
# where bf16 is. A double becomes a float with a sticky last bit first, so that it is rounded once.
ROUND_TO_BF16 = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
_Float16 __truncsfbf2(float x) {
  uint32_t u;
  uint16_t half;
  _Float16 result;
  memcpy(&u, &x, 4);
  half = x != x ? u >> 16 | 64 : (u + 0x7FFF + (u >> 16 & 1)) >> 16;
  memcpy(&result, &half, 2);
  return result;
}
_Float16 __truncdfbf2(double x) {
  float f = x;
  uint32_t u;
  memcpy(&u, &f, 4);
  if (f != x && x == x) u = (u - (fabs(f) > fabs(x))) | 1;
  memcpy(&f, &u, 4);
  return __truncsfbf2(f);
}
"""


def add_rounding_to_bf16():
    """Makes these functions known to what this process opens later, unless its libgcc has them."""
    if hasattr(ctypes.CDLL("libgcc_s.so.1"), "__truncsfbf2"):
        return
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "bf16.c"), pathlib.Path(folder, "bf16.so")
        source.write_text(ROUND_TO_BF16)
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
        ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)


class Iree(StableHlo):
    """The text compiled by IREE for the CPU."""

    def __init__(self):
        import iree.compiler
        import iree.runtime

        add_rounding_to_bf16()
        self.compiler, self.runtime = iree.compiler, iree.runtime
        self.config = iree.runtime.Config("local-sync")

    def compile(self, text):
        wide = ["--iree-input-demote-f64-to-f32=false", "--iree-input-demote-i64-to-i32=false"]
        # Its own linker knows no libm, where tanh, sin, atan2 and fmod of f64 are.
        options = ["--iree-llvmcpu-target-cpu=host", "--iree-llvmcpu-link-embedded=false", *wide]
        binary = self.compiler.compile_str(
            text, input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=options
        )
        context = self.runtime.SystemContext(config=self.config)
        module = self.runtime.VmModule.copy_buffer(context.instance, binary)
        context.add_vm_module(module)
        main = context.modules[module.name]["main"]

        def run(*arguments):
            out = main(*[np.array(a) for a in arguments])
            out = out if isinstance(out, (tuple, list)) else [] if out is None else [out]
            return [np.asarray(a.to_host()) for a in out]

        return run


class TensorFlow:
    """The graph in a session."""

    def __init__(self):
        import tensorflow

        self.tf = tensorflow

    def export(self, module, entry):
        import reel

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "graph.pb")
            reel.tensorflow.save(module, path, entry=entry)
            return path.read_bytes()

    def numbered(self, definition, attribute):
        """Nodes that have a number, in its order."""
        nodes = [node for node in definition.node if attribute in node.attr]
        return sorted(nodes, key=lambda node: node.attr[attribute].i)

    def variables(self, data, kind):
        definition = self.tf.compat.v1.GraphDef.FromString(data)
        nodes = self.numbered(definition, "_reel_input" if kind == "arguments" else "_reel_output")
        return [n.attr["_reel_variable"].s.decode() if "_reel_variable" in n.attr else None for n in nodes]

    def compile(self, data):
        definition = self.tf.compat.v1.GraphDef.FromString(data)
        graph = self.tf.Graph()
        with graph.as_default():
            self.tf.import_graph_def(definition, name="")
        session = self.tf.compat.v1.Session(graph=graph)
        inputs, outputs = (
            [node.name + ":0" for node in self.numbered(definition, attribute)]
            for attribute in ("_reel_input", "_reel_output")
        )

        def run(*arguments):
            return session.run(outputs, dict(zip(inputs, arguments, strict=True)))

        return run


BACKENDS = {"jax": Jax, "iree": Iree, "tensorflow": TensorFlow}


def distance(got, want, allowed):
    """Which element is the worst, and its error over what is allowed and one unit in the last place; 0: all are equal."""
    if want.size == 0:
        return 0, 0.0
    if want.dtype.kind not in "fcV" and want.dtype != ml_dtypes.bfloat16:
        differ = (got != want).reshape(-1)
        return int(differ.argmax()), np.inf if differ.any() else 0.0
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        x, y = got.astype(wide), want.astype(wide)
        equal = (x == y) | (np.isnan(x) & np.isnan(y))
        error = np.where(equal, 0, np.abs(x - y))
        limit = allowed + float(ml_dtypes.finfo(want.dtype).eps) * np.abs(y) + FLOOR[str(want.dtype)]
        ratio = np.where(equal, 0, np.where(np.isfinite(error), error / limit, np.inf))
    return int(ratio.argmax()), float(ratio.max())


def check(case, backend, folder, values):
    run = backend.compile((folder / case["file"]).read_bytes())
    arguments = [values.array(a) for a in case.get("inputs", [])]
    got = run(*arguments)
    results = case.get("results", [])
    if len(got) != len(results):
        return np.inf, "number of results"
    worst = 0.0
    for out, about in zip(got, results, strict=True):
        want = values.array(about)
        if out.dtype != want.dtype or out.shape != want.shape:
            return np.inf, f"{out.dtype}{out.shape} for {want.dtype}{want.shape}"
        allowed = values.array(about, about["allowed"], np.dtype(np.float64)) if "allowed" in about else 0
        computed = np.float64 if want.dtype == np.float64 else np.float32
        absolute = ABSOLUTE.get(case["op"], 0.0) * float(np.finfo(computed).eps)
        at, ratio = distance(out, want, SLACK * allowed + absolute)
        if ratio > worst:
            worst = ratio
            of = [a.reshape(-1)[at] for a in arguments if a.shape == want.shape]
            show = f"got {out.reshape(-1)[at]} want {want.reshape(-1)[at]} at {at} of {of}"
    return worst, show if worst > 1 else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--backend", choices=BACKENDS, default="jax")
    parser.add_argument("--op", nargs="*", help="only these")
    parser.add_argument("--every", type=int, default=1, help="every n-th case")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    backend, values = BACKENDS[options.backend](), Values(options.folder)
    good, bad, left_out, crashed = (collections.Counter() for _ in range(4))
    for i, line in enumerate((options.folder / "cases.jsonl").open()):
        case = json.loads(line)
        if (options.op and case["op"] not in options.op) or i % options.every:
            continue
        reasons = [reason for pattern, reason in LEFT_OUT[options.backend].items() if re.search(pattern, case["name"])]
        if reasons:
            left_out[reasons[0]] += 1
            continue
        try:
            worst, show = check(case, backend, options.folder, values)
        except Exception as error:  # a backend says no in many ways
            own = [reason for text, reason in CRASHES.items() if text in str(error)]
            if own:
                print(f"{case['name']} ({case['file']}): {own[0]}", flush=True)
                crashed[own[0]] += 1
                continue
            worst, show = np.inf, str(error).splitlines()[0][:300]
        (good if worst <= 1 else bad)[case["op"]] += 1
        if worst > 1:
            print(f"{case['name']} ({case['file']}): {worst:.3g} times what is allowed: {show}", flush=True)
    for op in sorted(good | bad):
        if options.verbose or bad[op]:
            print(f"{op}: {good[op]} good, {bad[op]} not")
    for reason, count in (left_out + crashed).items():
        print(f"{count} left out: {reason}")
    print(f"{options.backend}: {good.total()} good, {bad.total()} not, {(left_out + crashed).total()} left out")
    return 1 if bad or crashed.total() * CRASHES_AT_MOST > good.total() else 0


if __name__ == "__main__":
    sys.exit(main())
