"""Another LLVM in the process, as TensorFlow's, that shows its names to all: Reel's compiler uses its own."""

import os
import shutil
import subprocess
import sys

import pytest

# The name that tells that one is there, and one that the compiler calls.
OTHER = "#include <stdlib.h>\nvoid LLVMContextCreate(void) { abort(); }\nvoid _ZN4llvm11LLVMContextC1Ev(void) { abort(); }\n"
MALLOC = """
#include <stddef.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void*, size_t);
extern void *__libc_memalign(size_t, size_t), __libc_free(void*);
void* malloc(size_t n) { return __libc_malloc(n); }
void* calloc(size_t n, size_t m) { return __libc_calloc(n, m); }
void* realloc(void* p, size_t n) { return __libc_realloc(p, n); }
int posix_memalign(void** p, size_t a, size_t n) { return (*p = __libc_memalign(a, n)) == 0; }
void free(void* p) { __libc_free(p); }
"""
PROGRAM = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
import numpy as np
import reel
print(reel.function(lambda x: reel.tanh(x) + 1)(np.zeros(3, np.float32)).numpy())
"""


pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


def library(text, path):
    path.with_suffix(".c").write_text(text)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", path, path.with_suffix(".c")], check=True)
    return path


def run(other, **environment):
    return subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM, other],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_the_compiler_uses_its_own(tmp_path):
    done = run(library(OTHER, tmp_path / "libother.so"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[1. 1. 1.]\n"


def test_with_another_malloc_it_is_an_error(tmp_path):
    """Memory would go from one to the other, and back to the wrong one."""
    malloc = library(MALLOC, tmp_path / "libmalloc.so")
    done = run(library(OTHER, tmp_path / "libother.so"), LD_PRELOAD=str(malloc))
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "compile something with Reel before the other LLVM is loaded" in done.stderr
