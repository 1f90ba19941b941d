"""Programs of several members: what Reel writes, compiled by XLA for as many devices, beside NumPy; and what JAX prints of
shard_map, with gradients, run by as many processes of Reel's beside JAX."""

import pathlib
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxlib import xla_client

import reel

MEMBERS = 4
TEXT = f"""reel 1
module "m"
func @main(%x: f32[{MEMBERS},3]) -> (sum: f32[{MEMBERS},3], mean: f32[{MEMBERS},3], max: f32[{MEMBERS},3],
    gathered: f32[{MEMBERS * MEMBERS},3], scattered: f32[1,3], exchanged: f32[{MEMBERS},3], root: f32[{MEMBERS},3],
    rank: i64[]) {{
  %0 = all_reduce %x {{kind="sum", size={MEMBERS}}} : f32[{MEMBERS},3]
  %1 = all_reduce %x {{kind="mean", size={MEMBERS}}} : f32[{MEMBERS},3]
  %2 = all_reduce %x {{kind="max", size={MEMBERS}}} : f32[{MEMBERS},3]
  %3 = all_gather %x {{size={MEMBERS}}} : f32[{MEMBERS * MEMBERS},3]
  %4 = reduce_scatter %x {{kind="sum", size={MEMBERS}}} : f32[1,3]
  %5 = all_to_all %x {{size={MEMBERS}}} : f32[{MEMBERS},3]
  %6 = broadcast_from %x {{root=2, size={MEMBERS}}} : f32[{MEMBERS},3]
  %7 = group_rank {{size={MEMBERS}}} : i64[]
  return %0, %1, %2, %3, %4, %5, %6, %7
}}
"""


def expected(x):
    """What each member gets of x [members, members, 3], by the names of the results."""
    total = x.sum(0)
    return {
        "sum": [total] * MEMBERS,
        "mean": [total / MEMBERS] * MEMBERS,
        "max": [x.max(0)] * MEMBERS,
        "gathered": [x.reshape(-1, 3)] * MEMBERS,
        "scattered": [total[i : i + 1] for i in range(MEMBERS)],
        "exchanged": [x[:, i] for i in range(MEMBERS)],
        "root": [x[2]] * MEMBERS,
        "rank": [np.int64(i) for i in range(MEMBERS)],
    }


def check_out(devices):
    options = xla_client.CompileOptions()
    options.num_replicas = MEMBERS
    text = reel.stablehlo.text(reel.Module.from_text(TEXT))
    program = devices[0].client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)
    x = np.random.default_rng(0).standard_normal((MEMBERS, MEMBERS, 3)).astype(np.float32)
    sharding = NamedSharding(Mesh(np.array(devices), ("i",)), PartitionSpec("i"))
    whole = jax.make_array_from_single_device_arrays(
        (MEMBERS * MEMBERS, 3), sharding, [jax.device_put(x[i], d) for i, d in enumerate(devices)]
    )
    results = program.execute_sharded([whole]).disassemble_into_single_device_arrays()
    for (name, want), got in zip(expected(x).items(), results, strict=True):
        for member in range(MEMBERS):
            np.testing.assert_allclose(np.asarray(got[member]), want[member], rtol=1e-6, err_msg=f"{name} {member}")
    print(f"collectives: {len(results)} results of {MEMBERS} members")


def device_step(x, w):
    """One device's part of a program that talks in every way."""
    rank = jax.lax.axis_index("i").astype(x.dtype)
    total = jax.lax.psum(jnp.tanh(x @ w), "i")
    part = jax.lax.psum_scatter(x, "i", scatter_dimension=1, tiled=True)
    others = jax.lax.all_to_all(x, "i", split_axis=1, concat_axis=0, tiled=True)
    around = jax.lax.ppermute(part, "i", [(0, 1), (1, 2), (2, 0)])
    rows = jax.lax.all_gather(part, "i", axis=1, tiled=True)
    top = jax.lax.pmax(jax.lax.stop_gradient(x), "i")
    mean = jax.lax.pmean(rank * rows, "i")
    return total, part + around, others, mean + top


def jax_program(devices):
    """The step and its gradients, of whole arrays."""
    mesh = Mesh(np.array(devices), ("i",))
    rows, whole = PartitionSpec("i"), PartitionSpec()
    out_specs = (whole, rows, rows, whole)
    step = jax.shard_map(device_step, mesh=mesh, in_specs=(rows, whole), out_specs=out_specs, check_vma=False)

    def loss(x, w):
        return sum(jnp.sum(jnp.sin(y)) for y in step(x, w))

    return jax.jit(lambda x, w: (*step(x, w), *jax.grad(loss, (0, 1))(x, w)))


def use_devices():
    jax.config.update("jax_num_cpu_devices", MEMBERS)
    jax.config.update("jax_enable_x64", True)
    return jax.devices()[:MEMBERS]


def check_in(devices):
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((2 * MEMBERS, 8)), rng.standard_normal((8, 3))
    f = jax_program(devices)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "step.mlir").write_text(f.lower(x, w).as_text())
        np.savez(folder / "values.npz", x, w, *(np.asarray(y) for y in f(x, w)))
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(MEMBERS), sys.executable, "-B"]
        subprocess.run([*command, __file__, str(folder)], check=True, timeout=120)


def member(folder):
    """One process of `check_in`."""
    reel.distributed.init()
    values = np.load(folder / "values.npz")
    x, w, *want = (values[name] for name in values.files)
    loaded = reel.stablehlo.load(folder / "step.mlir").function("main")
    for f in (loaded, reel.from_jax(jax_program(use_devices()), x, w)):
        got = f(x, w)
        got = list(got.values()) if isinstance(got, dict) else list(got)
        for i, (ours, theirs) in enumerate(zip(got, want, strict=True)):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-12, err_msg=f"result {i}")
    if reel.distributed.rank() == 0:
        print(f"collectives: {len(want)} results of JAX in {reel.distributed.size()} processes")


def main():
    if len(sys.argv) > 1:
        return member(pathlib.Path(sys.argv[1]))
    devices = use_devices()
    check_out(devices)
    check_in(devices)


main()
