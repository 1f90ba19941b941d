#!/usr/bin/env bash
# run.sh BUILD: what `third_party/setup interop` does when all is built and installed.
set -euo pipefail

build=$(cd "$1" && pwd)
folder="$build/interop"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python="$folder/venv/bin/python3"
export PYTHONPATH="$build/python" PATH="$build/bin:$PATH" JAX_PLATFORMS=cpu

rm -rf "$folder/cases" "$folder/demo"
mkdir -p "$folder/demo"
"$build/tests/stablehlo_write_cases" "$folder/cases"
"$build/bin/reel" train --steps 201 --output-dir "$folder/demo"
for backend in jax iree; do
  "$python" -B "$here/training.py" "$folder/demo" --backend "$backend"
done
"$python" -B "$here/interop.py" "$folder/cases" --backend jax
"$python" -B "$here/interop.py" "$folder/cases" --backend iree --every 11
