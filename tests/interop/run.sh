#!/usr/bin/env bash
# run.sh BUILD: what `third_party/setup interop` does when all is built and installed.
set -euo pipefail

build=$(cd "$1" && pwd)
folder="$build/interop"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python="$folder/venv/bin/python3"
export PYTHONPATH="$build/python" PATH="$build/bin:$PATH" JAX_PLATFORMS=cpu CUDA_VISIBLE_DEVICES= TF_CPP_MIN_LOG_LEVEL=3
failed=0
part() { "$@" || { echo "interop: failed: ${*:3}"; failed=1; }; }  # the others run all the same
rm -rf "$folder/stablehlo" "$folder/tensorflow" "$folder/demo"
mkdir -p "$folder/demo"
for format in stablehlo tensorflow; do
  "$build/tests/interop_write_cases" $format "$folder/$format"
done
"$build/bin/reel" train --steps 201 --output-dir "$folder/demo"
for backend in jax iree tensorflow; do
  part "$python" -B "$here/training.py" "$folder/demo" --backend "$backend"
done
part "$python" -B "$here/operations.py"
part "$python" -B "$here/symbolic.py"
part "$python" -B "$here/many_axes.py"
part "$python" -B "$here/collectives.py"
part "$python" -B "$here/interop.py" "$folder/stablehlo" --backend jax
part "$python" -B "$here/interop.py" "$folder/stablehlo" --backend iree --every 11
part "$python" -B "$here/interop.py" "$folder/tensorflow" --backend tensorflow
rm -rf "$folder/saved_model"
part "$build/venv/bin/python3" -B "$here/saved_model_cases.py" "$folder/saved_model"
part "$python" -B "$here/saved_model.py" "$folder/saved_model"
part "$python" -B "$here/torch_rows.py"
part "$python" -B "$here/torch_models.py"
part "$python" -B "$here/onnx_models.py"
part "$python" -B "$here/jax_rows.py"
part "$python" -B "$here/jax_models.py"
# The same losses in the object, ONNX Runtime, JAX, IREE and TensorFlow; the times are no measurement here.
part "$python" -B "$here/../bench/peers/exports.py" "$folder/demo" --rounds 1 --python onnxruntime="$build/venv/bin/python3"
exit "$failed"
