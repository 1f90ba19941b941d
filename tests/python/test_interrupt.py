"""An endless compiled loop and compiling end at Ctrl-C, with the interpreter's own exception; the process goes on."""

import os
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import reel

body = {body}
f = reel.function(lambda x: reel.while_loop(lambda x: x > 0, body, [x])[0])
assert int(f(reel.asarray(0))) == 0
try:
    print("ready", flush=True)
    f(reel.asarray(1))
    print("returned")
except KeyboardInterrupt:
    print("interrupted", int(f(reel.asarray(-1))))
"""

# Tracing takes a second, compiling many. Code that was made to the end is kept in the cache.
COMPILING = """
import glob, os, reel

@reel.function
def f(x):
    for i in range(20000):
        x = reel.sin(reel.flip(x, axis=0)) if i % 2 else reel.erf(x) * float(i)
        if i == 19999: print("ready", flush=True)
    return x

@reel.function
def g(x):
    return x + 1

try:
    f(reel.zeros([33]))
    print("returned")
except KeyboardInterrupt:
    kept = glob.glob(os.environ["REEL_CACHE_DIR"] + "/*.reelcode")
    print("interrupted", len(kept), int(g(reel.asarray(2))))
"""


def interrupted(script, wait=0.0, **environment):
    """What is printed after a line that says ready, when Ctrl-C comes so much later."""

    def handled():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    process = subprocess.Popen(
        [sys.executable, "-B", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=handled,
        env={**os.environ, **environment},
    )
    try:
        assert process.stdout.readline() == "ready\n"
        if wait > 0:
            time.sleep(wait)
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=60)[0]
    finally:
        process.kill()


@pytest.mark.parametrize("body", ["lambda x: x", "lambda x: reel.maximum(x * 2, 1)"], ids=["identity", "doubling"])
def test_an_endless_loop_obeys_an_interrupt(body):
    # before the call or in it: both are in the try
    assert interrupted(SCRIPT.format(body=body)) == "interrupted -1\n"


@pytest.mark.parametrize("wait", [0.0, 0.3, 1.0])
def test_compiling_obeys_an_interrupt(wait, tmp_path):
    assert interrupted(COMPILING, wait, REEL_CACHE_DIR=str(tmp_path)) == "interrupted 0 3\n"


def whole(script):
    """What it prints; a hang is an error."""
    run = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    return run.stdout + run.stderr


# Signals around the beginning of calls; one call ends for each, and none is left for the next.
MANY = """
import os, random, signal, threading, time
import reel

f = reel.function(lambda x: reel.while_loop(lambda x: x > 0, lambda x: x, [x])[0])
assert int(f(reel.asarray(0))) == 0
random.seed(7)
one, zero = reel.asarray(1), reel.asarray(0)
for k in range(300):
    told = threading.Thread(target=lambda: (time.sleep(random.random() * 2e-4), os.kill(os.getpid(), signal.SIGINT)))
    try:
        told.start()
        f(one)
        print("returned", k)
    except KeyboardInterrupt:
        pass
    told.join()
    assert int(f(zero)) == 0
print("all", flush=True)
"""


def test_no_interrupt_is_lost_whenever_it_comes():
    assert whole(MANY) == "all\n"


# What asks for signals needs Python's lock, which others hold while they wait for the executable.
BESIDE = """
import threading
import reel

e = reel.compile(reel.trace(lambda x: reel.while_loop(lambda x: x > 0, lambda x: x - 1, [x])[0], reel.asarray(0)))
one = reel.asarray(1000)
calls = threading.Thread(target=lambda: [e(one) for _ in range(300)])
calls.start()
while calls.is_alive():
    e.plan()
print("all", flush=True)
"""


def test_calls_of_long_loops_leave_others_their_turn():
    assert whole(BESIDE) == "all\n"


# The thread whose loop began first ends first.
OUTLIVED = """
import os, signal, threading, time
import reel

down = reel.function(lambda x: reel.while_loop(lambda x: x > 0, lambda x: x - 1, [x])[0])
endless = reel.function(lambda x: reel.while_loop(lambda x: x > 0, lambda x: x, [x])[0])
assert int(down(reel.asarray(0))) == int(endless(reel.asarray(0))) == 0
steps, seconds = 1 << 20, 0.0
while seconds < 0.2:
    steps, begin = 2 * steps, time.time()
    down(reel.asarray(steps))
    seconds = time.time() - begin
first = threading.Thread(target=lambda: down(reel.asarray(steps)))
first.start()
time.sleep(0.05)
threading.Thread(target=lambda: (first.join(), time.sleep(0.1), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    endless(reel.asarray(1))
except KeyboardInterrupt:
    print("interrupted", int(endless(reel.asarray(0))), flush=True)
"""


def test_a_loop_that_outlives_another_threads_obeys():
    assert whole(OUTLIVED) == "interrupted 0\n"
