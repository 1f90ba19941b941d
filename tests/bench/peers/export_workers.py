"""The runtimes of exports.py, one a process: export_workers.py NAME FOLDER (not run by hand).

Loads the step that the folder has in the runtime's form, prints a line of JSON (seconds of loading and of the first step,
three losses, bytes that are deployed, what must be installed), then for every number on standard input runs so many steps
and prints the seconds of one.
"""

import importlib.metadata
import json
import os
import pathlib
import re
import sys
import time

import numpy as np


def sizes_of(path):
    """Bytes of a file, or of all files below a folder; links are what they name."""
    path = pathlib.Path(path)
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


def installed(*names):
    """What pip installs for these packages: how many, and their bytes."""
    seen, todo = {}, list(names)
    while todo:
        name = re.split(r"[^A-Za-z0-9._-]", todo.pop().strip())[0].lower().replace("_", "-")
        if name in seen:
            continue
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # for other systems
        files = [pathlib.Path(package.locate_file(f)) for f in package.files or []]
        seen[name] = sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc")
        todo += [r for r in package.requires or [] if "extra ==" not in r]
    return f"Python, {', '.join(names)}: {sum(seen.values()) / 1e6:.0f} MB in {len(seen)} packages"


def inputs(folder):
    arrays = np.load(folder / "inputs.npz")
    return arrays["images"], arrays["labels"]


def state(folder):
    """The signature of the StableHLO text, and values by the names of variables."""
    names = json.loads((folder / "signature.json").read_text())
    arrays = np.load(folder / "state.npz")
    values = {n: arrays[str(i)] for i, n in enumerate(names["takes"]) if n}
    return names["takes"], names["gives"], values


def feed_back(run, put, folder):
    """A step of a program that takes and gives variables, which stay what the runtime made of them."""
    takes, gives, values = state(folder)
    values = {n: put(v) for n, v in values.items()}
    images, labels = (put(a) for a in inputs(folder))

    def step():
        out = run(images, labels, *[values[n] for n in takes if n])
        values.update((n, v) for n, v in zip(gives, out) if n)
        return out[0]

    return step


def reel_package():
    """Reel's package and the libraries of Reel and LLVM that it has loaded, which a wheel holds."""
    import reel

    package = pathlib.Path(reel.__file__).parent
    mapped = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines()}
    libraries = [m for m in mapped if m.rpartition("/")[2].startswith(("libreel", "libLLVM")) and str(package) not in m]
    total = sizes_of(package) + sum(map(sizes_of, libraries))
    return f"Python, NumPy, {total / 1e6:.0f} MB of Reel" + (" with LLVM" if "LLVM" in str(libraries) else "")


class Aot:
    """The shared library, called from Python."""

    title = "shared library, `reel.aot.load`"
    files = ("step.so",)

    def load(self, folder):
        import reel

        program = reel.aot.load(folder / self.files[0])
        arrays = inputs(folder)
        return lambda: program.train(*arrays), float

    needs = staticmethod(reel_package)


class Jit:
    """The graph, compiled by Reel in the process, as a reel.function is."""

    title = "`reel.function`, compiled in the process"
    files = ("step.reel",)

    def load(self, folder):
        import reel

        program = reel.compile(reel.load(str(folder / self.files[0])))
        arrays = [reel.asarray(a) for a in inputs(folder)]
        return lambda: program("train", *arrays), float

    needs = staticmethod(reel_package)


class OnnxRuntime:
    title = "ONNX Runtime, ONNX"
    files = ("step.onnx",)

    def load(self, folder):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(folder / self.files[0], options, providers=["CPUExecutionProvider"])
        put = onnxruntime.OrtValue.ortvalue_from_numpy
        infos, outputs = session.get_inputs(), [o.name for o in session.get_outputs()]
        metadata = session.get_modelmeta().custom_metadata_map
        fed = {v: k.removeprefix("reel.state.") for k, v in metadata.items() if k.startswith("reel.state.")}
        feeds = {info.name: put(a) for info, a in zip(infos, inputs(folder))}

        def step():
            out = session.run_with_ort_values(outputs, feeds)
            feeds.update((fed[n], v) for n, v in zip(outputs, out) if n in fed)
            return out[0]

        return step, lambda loss: float(loss.numpy())

    def needs(self):
        return installed("onnxruntime")


class Jax:
    title = "JAX (XLA), StableHLO"
    files = ("step.mlir", "state.npz")

    def load(self, folder):
        import jax
        from jaxlib import xla_client

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)
        device = jax.devices()[0]
        devices = xla_client.DeviceList((device,))
        text = (folder / self.files[0]).read_text()
        program = device.client.compile_and_load(text, devices, xla_client.CompileOptions())

        def run(*arguments):
            return program.execute_sharded(arguments).disassemble_into_single_device_arrays()

        step = feed_back(lambda *a: [v[0] for v in run(*a)], jax.device_put, folder)
        return step, lambda loss: float(np.asarray(loss))

    def needs(self):
        return installed("jax", "jaxlib")


class Iree:
    title = "IREE, StableHLO"
    files = ("step.vmfb", "state.npz")

    def load(self, folder):
        import iree.compiler
        import iree.runtime

        options = ["--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false"]
        options.append("--iree-input-demote-i64-to-i32=false")
        text = (folder / "step.mlir").read_text()
        binary = iree.compiler.compile_str(
            text, input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=options
        )
        (folder / self.files[0]).write_bytes(binary)
        config = iree.runtime.Config("local-sync")
        context = iree.runtime.SystemContext(config=config)
        module = iree.runtime.VmModule.copy_buffer(context.instance, binary)
        context.add_vm_module(module)
        main = context.modules[module.name]["main"]
        step = feed_back(main, lambda a: iree.runtime.asdevicearray(config.device, a), folder)
        return step, lambda loss: float(loss.to_host())

    def needs(self):
        return installed("iree-base-runtime") + "; to compile, " + installed("iree-base-compiler")


class TensorFlow:
    title = "TensorFlow, SavedModel"
    files = ("saved_model",)

    def load(self, folder):
        if not (folder / self.files[0]).exists():
            sys.exit("this Reel does not write SavedModels")
        os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        import tensorflow as tf

        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
        self.loaded = tf.saved_model.load(str(folder / self.files[0]))
        train = self.loaded.signatures["train"]
        images, labels = (tf.constant(a) for a in inputs(folder))
        return lambda: train(images=images, labels=labels), lambda out: float(next(iter(out.values())))

    def needs(self):
        found = importlib.metadata.packages_distributions()["tensorflow"]  # tensorflow or tensorflow-cpu
        return installed(found[0])


WORKERS = {"aot": Aot, "function": Jit, "onnxruntime": OnnxRuntime, "jax": Jax, "iree": Iree, "tensorflow": TensorFlow}


def main():
    worker, folder = WORKERS[sys.argv[1]](), pathlib.Path(sys.argv[2])
    start = time.perf_counter()
    step, number = worker.load(folder)
    ready = time.perf_counter()
    losses = [number(step())]
    first = time.perf_counter()
    losses += [number(step()) for _ in range(2)]
    about = {"title": worker.title, "load_s": ready - start, "first_s": first - ready, "losses": losses}
    about |= {"deployed": sum(sizes_of(folder / f) for f in worker.files), "needs": worker.needs()}
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        count = int(line)
        start = time.perf_counter()
        for _ in range(count):
            loss = step()
        number(loss)  # what runs on is waited for
        print((time.perf_counter() - start) / count, flush=True)


if __name__ == "__main__":
    main()
