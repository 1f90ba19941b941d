"""Another LLVM in the process, as TensorFlow's, that shows its names to all: Reel's compiler uses its own."""

import shutil
import subprocess
import sys

import pytest

# The name that tells that one is there, and one that the compiler calls.
OTHER = "#include <stdlib.h>\nvoid LLVMContextCreate(void) { abort(); }\nvoid _ZN4llvm11LLVMContextC1Ev(void) { abort(); }\n"
PROGRAM = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
import numpy as np
import reel
print(reel.function(lambda x: reel.tanh(x) + 1)(np.zeros(3, np.float32)).numpy())
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_the_compiler_uses_its_own(tmp_path):
    source, library = tmp_path / "other.c", tmp_path / "libother.so"
    source.write_text(OTHER)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    done = subprocess.run([sys.executable, "-B", "-c", PROGRAM, library], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[1. 1. 1.]\n"
