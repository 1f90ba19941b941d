"""An endless compiled loop ends at Ctrl-C, with the interpreter's own exception, and the process goes on."""

import signal
import subprocess
import sys

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


@pytest.mark.parametrize("body", ["lambda x: x", "lambda x: reel.maximum(x * 2, 1)"], ids=["identity", "doubling"])
def test_an_endless_loop_obeys_an_interrupt(body):
    def handled():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    process = subprocess.Popen(
        [sys.executable, "-B", "-c", SCRIPT.format(body=body)], stdout=subprocess.PIPE, text=True, preexec_fn=handled
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)  # before the call or in it: both are in the try
        assert process.communicate(timeout=60)[0] == "interrupted -1\n"
    finally:
        process.kill()
