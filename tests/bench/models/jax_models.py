"""Losses of JAX and Flax with their gradients: jax.jit, and reel.from_jax in two ways, in turn.

    jax_models.py [--threads N] [--cap SECONDS] [--rounds N] [--mode MODE]... [--check] [NAME]...

`jit` is jax.jit of value_and_grad, `from_jax` the same function in Reel with the gradient as JAX lowered it, `reel_grad` the
loss alone in Reel with the parameters as variables, whose gradient Reel takes. As torch_models.py otherwise; the values of
--check are compared with JAX in float64.
"""

import sys

import jax
import jax_zoo
import numpy as np
import runner

MODES = ("jit", "from_jax", "reel_grad")


def jit_step(loss, params, args):
    step = jax.jit(jax.value_and_grad(loss))
    params, args = jax.device_put((params, args))
    return lambda: jax.block_until_ready(step(params, *args))


def imported_step(loss, params, args):
    import reel

    f = reel.from_jax(jax.value_and_grad(loss), params, *args, params=0)
    step, args = reel.function(lambda *args: f(*args)), [reel.asarray(a) for a in args]
    return lambda: step(*args)


def own_gradient_step(loss, params, args):
    import reel

    f = reel.from_jax(loss, params, *args, params=0)

    @reel.function
    def train(*args):
        with reel.GradientTape() as tape:
            value = f(*args)
        return value, tape.gradient(value, f.variables)

    args = [reel.asarray(a) for a in args]
    return lambda: train(*args)


STEPS = dict(zip(MODES, (jit_step, imported_step, own_gradient_step)))


def reference(loss, params, args):
    with jax.enable_x64(True):
        double = jax.tree.map(lambda a: np.asarray(a, np.float64) if a.dtype == np.float32 else a, (params, list(args)))
        return jax.tree.map(np.asarray, jax.jit(jax.value_and_grad(loss))(double[0], *double[1]))


def prepare(name, mode, options):
    if mode != "jit":
        import reel  # noqa: F401  jax is imported by now, too
    loss, params, args = getattr(jax_zoo, name)()
    want = reference(loss, params, args) if options.check else None

    def compare(result):
        return runner.compare(result[0], want[0], list(zip(jax.tree.leaves(result[1]), jax.tree.leaves(want[1]))))

    return lambda: (STEPS[mode](loss, params, args), compare)


def main():
    options = runner.arguments(__doc__, MODES)
    if options.tune or options.onnx:
        sys.exit("jax_models.py: --tune and --onnx are of PyTorch's models")
    if options.child:
        return runner.child(options, prepare)
    names = [m.__name__ for m in jax_zoo.MODELS]
    return int(runner.run(__file__, options, names, MODES, ("from_jax", "reel_grad")) > 0)


if __name__ == "__main__":
    sys.exit(main())
