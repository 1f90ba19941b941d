"""`reel report`: what its JSON says of a training step, its page, its errors, and what notebooks show."""

import html.parser
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import reel

PROGRAM = pathlib.Path(os.environ.get("REEL_PROGRAM", pathlib.Path(reel.__file__).parents[2] / "bin" / "reel"))
EVIL = "</script><img src=x onerror=alert(1)>&'\"\u202e"


def module():
    w = reel.Variable(np.full((8, 16), 0.1, np.float32), name="w")
    v = reel.Variable(np.full((16, 4), 0.1, np.float32), name="v")

    def step(x, y):
        with reel.GradientTape() as tape:
            hidden = reel.tanh(x @ w)
            loss = reel.mean((hidden @ v - y) ** 2)
        dw, dv = tape.gradient(loss, [w, v])
        w.assign_sub(0.1 * dw)
        v.assign_sub(0.1 * dv)
        return {"loss": loss}

    specs = (reel.TensorSpec((32, 8), name="x"), reel.TensorSpec((32, 4), name="y"))
    return reel.Module.lift({"train": (step, specs)}, name="step")


def report(tmp_path, graph, **options):
    """The data of a page, which must be where the page's script looks for them."""
    path = tmp_path / "report.html"
    reel.report(graph, str(path), **options)
    page = path.read_text()
    begin = '<script type="application/json" id="data">'
    assert page.count(begin) == 1
    return json.loads(page.split(begin)[1].split("</script>")[0]), page


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return report(folder, module(), sources=os.path.dirname(__file__))[0]


def column(graph, name):
    return [graph["texts"][i] if i >= 0 else "" for i in graph["nodes"][name]]


def test_graph_has_forward_beside_gradient(data):
    graph = data["graphs"][data["entries"][0]["graph"]]
    nodes = graph["nodes"]
    labels = column(graph, "label")
    parts = [data["parts"][p] for p in nodes["part"]]
    assert {"forward", "gradient", "update"} == set(parts)
    forward = [i for i, label in enumerate(labels) if label == "contract" and parts[i] == "forward"]
    assert len(forward) == 2
    gradients = [
        i for i, name in enumerate(column(graph, "name")) if name == "contract.grad" and labels[i] == "contract"
    ]
    assert len(gradients) == 3  # of w, v and hidden
    partners = sorted(nodes["partner"][i] for i in gradients)
    assert partners == [forward[0], forward[1], forward[1]]
    for i, partner in enumerate(nodes["partner"]):
        if partner < 0:
            continue
        assert parts[partner] == "forward" and nodes["x"][partner] < nodes["x"][i]
        assert nodes["line"][partner] == nodes["line"][i]
    assert len(set(zip(nodes["x"], nodes["y"]))) == len(labels)  # no two boxes at one place
    assert all(operand < i for i, operands in enumerate(nodes["in"]) for operand in operands)
    news = [i for i, label in enumerate(labels) if label.startswith("new ")]
    assert len(news) == 2 and {parts[i] for i in news} == {"update"}


def test_nodes_know_their_lines_and_kernels(data):
    graph = data["graphs"][data["entries"][0]["graph"]]
    lines = {line[2].strip() for line in graph["lines"]}
    assert "hidden = reel.tanh(x @ w)" in lines and all(line[0] == __file__ for line in graph["lines"])
    called = {step[2] for step in data["entries"][0]["steps"] if step[1] == "kernel"}
    for kind, kernels in zip(graph["nodes"]["kind"], graph["nodes"]["kernels"]):
        assert set(kernels) <= called
        assert data["kinds"][kind] != "op" or kernels
    for kernel in data["kernels"]:
        assert kernel["why"] and kernel["loops"].startswith("kernel @")


def test_times_are_of_the_kernels_that_ran(data):
    entry = data["entries"][0]
    called = {step[2] for step in entry["steps"] if step[1] == "kernel"}
    for kernel, (seconds, calls) in enumerate(zip(entry["kernel_seconds"], entry["kernel_calls"])):
        assert (seconds > 0 and calls > 0) == (kernel in called)
    assert 0 < sum(entry["kernel_seconds"]) and entry["seconds"] > 0
    assert data["machine"]["gflop_s"]["f32"] > 0 and len(data["machine"]["levels"]) == 4
    assert all(kernel["limit_s"] >= 0 for kernel in data["kernels"])
    stages = {row["stage"] for row in data["compile"]}
    assert {"passes", "planning"} <= stages and all(row["seconds"] >= 0 for row in data["compile"])


def conv_step():
    model = reel.nn.Sequential(reel.nn.Conv2D(4, 3, "relu"), reel.nn.Flatten(), reel.nn.Dense(10))

    def step(x, labels):
        with reel.GradientTape() as tape:
            loss = reel.nn.softmax_cross_entropy(model(x), labels)
        for v, g in zip(model.variables, tape.gradient(loss, list(model.variables))):
            v.assign_sub(0.1 * g)
        return loss

    x = reel.zeros((4, 12, 12, 1))
    step(x, reel.zeros((4,), dtype=reel.int64))
    return reel.trace(step, (reel.TensorSpec((4, 12, 12, 1)), reel.TensorSpec((4,), reel.int64)))


def loop():
    def f(x):
        with reel.GradientTape() as tape:
            tape.watch(x)
            y = reel.while_loop(
                lambda i, s: i < 5, lambda i, s: (i + 1, reel.sin(s * x)), (0, x), maximum_iterations=5
            )[1]
            loss = reel.sum(y)
        return tape.gradient(loss, x)

    return reel.trace(f, (reel.TensorSpec((700,)),))


@pytest.mark.parametrize("make", [module, conv_step, loop])
def test_lives_share_no_memory(tmp_path, make):
    data, _ = report(tmp_path, make(), run=False)
    for entry in data["entries"]:
        lives = entry["lives"]
        for i, (_, _, offset, size, begin, end) in enumerate(lives):
            assert 0 <= offset and offset + size <= data["arena_bytes"] and 0 <= begin < end
            for _, _, offset2, size2, begin2, end2 in lives[:i]:
                assert end2 <= begin or end <= begin2 or offset2 + size2 <= offset or offset + size <= offset2
        steps = max((life[5] for life in lives), default=0)
        live = [sum(s for _, _, _, s, b, e in lives if b <= t < e) for t in range(steps)]
        assert max(live, default=0) <= data["live_bytes"]
        assert max(live, default=0) > 0.8 * data["live_bytes"] - 128  # which is rounded up to 64 bytes a value


def test_graphs_of_loops_are_linked(tmp_path):
    data, _ = report(tmp_path, loop(), run=False)
    entry = data["graphs"][data["entries"][0]["graph"]]
    assert {named["as"] for named in entry["graphs"]} == {"cond", "body"}
    assert all(column(entry, "label")[named["box"]] == "while" for named in entry["graphs"])
    assert "machine" in data and data["machine"] is None and "kernel_seconds" not in data["entries"][0]


def test_names_are_text(tmp_path):
    v = reel.Variable([1.0], name=EVIL)
    graph = reel.Module.lift(
        {"main": (lambda x: {EVIL: v.value() * x}, (reel.TensorSpec((1,), name=EVIL),))}, name=EVIL
    )
    data, page = report(tmp_path, graph, run=False)
    assert "<img" not in page and page.count("</script>") == 2
    assert "<img src=x onerror=alert(1)>" in data["module"] and "\u202e" not in page
    compiled = reel.compile(graph)
    for shown in (graph, graph.function("main"), compiled, Model(v)):
        text = shown._repr_html_()
        assert "<img" not in text and "&lt;img" in text and "\u202e" not in text


class Model(reel.nn.Module):
    def __init__(self, v):
        self.v = v


class Balance(html.parser.HTMLParser):
    """Every tag that opens closes, and none runs or loads anything."""

    def __init__(self):
        super().__init__()
        self.open, self.count = [], 0

    def handle_starttag(self, tag, attrs):
        self.count += 1
        assert tag not in ("script", "img", "link", "iframe", "style")
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_what_notebooks_show():
    graph = module()
    model = reel.nn.Sequential(reel.nn.Dense(3), reel.nn.Dense(2))
    model(reel.zeros((1, 4)))
    rows = [
        (graph, ["train", "f32[8,16]", "<svg", "gradient"]),
        (graph.function("train"), ["loss", "contract", "<details"]),
        (reel.compile(graph), ["#0", "arena", "entry point"]),
        (model, ["f32[4,3]", "23 elements"]),
        (Model(reel.Variable(np.zeros((5, 2)))), ["f64[5,2]", "10 elements"]),
        (loop(), ["while"]),
    ]
    for shown, wanted in rows:
        text = shown._repr_html_()
        for part in wanted:
            assert part in text, (type(shown), part)
        balance = Balance()
        balance.feed(text)
        assert not balance.open and balance.count > 3


LOGS = [
    ("step,loss\n0,2.5\n1,nan\n2,0.5\n", {"loss": [[0, 2.5], [1, None], [2, 0.5]]}),
    ('loss, Step ,note\r\n1e-3,10,a\r\n,20,b\r\n"2",30,c\r\n', {"loss": [[10, 1e-3], [30, 2]]}),
    ("step,a,b\n0,1,\n1,,2\n", {"a": [[0, 1]], "b": [[1, 2]]}),
    ("step\n1\n", {}),
]


@pytest.mark.parametrize("text,curves", LOGS)
def test_logs_become_curves(tmp_path, text, curves):
    log = tmp_path / "run.csv"
    log.write_bytes(text.encode())
    data, _ = report(tmp_path, module(), run=False, logs=str(log))
    assert {c["name"]: c["points"] for c in data["logs"][0]["curves"]} == curves


def test_long_logs_are_thinned(tmp_path):
    log = tmp_path / "run.csv"
    values = np.sin(np.arange(50000)) + (np.arange(50000) == 31234) * 100
    log.write_text("step,x\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    data, _ = report(tmp_path, module(), run=False, logs=[str(log)])
    curve = data["logs"][0]["curves"][0]
    assert curve["count"] == 50000 and len(curve["points"]) <= 2000
    assert max(p[1] for p in curve["points"]) == pytest.approx(values.max())


BAD_LOGS = [
    (b"", "is empty"),
    (b"\n\n", "is empty"),
    (b"epoch,loss\n1,2\n", ":1: there is no column step; the columns are: epoch, loss"),
    (b"step,loss\n1,2\nx,3\n", ":3: the step is 'x'"),
    (b"step,loss\n1,2\n,3\n", ":3: the step is ''"),
    (b"step,loss\n1,2,3\n", ":2: 3 cells"),
    (b'step,loss\n1,"2\n', "no CSV file"),
    (b"step," + b",".join(b"c%d" % i for i in range(300)), "more than 256 columns"),
]


@pytest.mark.parametrize("text,message", BAD_LOGS)
def test_bad_logs_are_errors(tmp_path, text, message):
    log = tmp_path / "run.csv"
    log.write_bytes(text)
    with pytest.raises(reel.InvalidArgumentError) as error:
        reel.report(module(), str(tmp_path / "report.html"), run=False, logs=str(log))
    assert message in str(error.value) and "run.csv" in str(error.value)
    assert not (tmp_path / "report.html").exists()


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=240)


def test_the_command(tmp_path):
    module().save(str(tmp_path / "m.reel"))
    done = run("report", tmp_path / "m.reel", "-o", tmp_path / "r.html", "--no-run")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{tmp_path}/r.html\n", "")
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    done = run("report", tmp_path / "m.reel", "--json", "--no-run")
    assert json.loads(done.stdout)["module"] == "step"
    assert json.loads(done.stdout)["graphs"][0]["lines"][0][2] == ""  # nothing is quoted unless it is asked for


def test_open_extents_need_numbers(tmp_path):
    graph = reel.trace(lambda x: x * 2, (reel.TensorSpec((reel.Dim("B", 1, 64), 3)),))
    with pytest.raises(reel.InvalidArgumentError, match="open extents"):
        reel.report(graph, str(tmp_path / "r.html"))
    data, _ = report(tmp_path, graph, run=False, extents={"B": 5})
    assert data["entries"][0]["arguments"][0]["type"] == "f32[5,3]"


def test_errors_of_the_command(tmp_path):
    module().save(str(tmp_path / "m.reel"))
    (tmp_path / "bad.reel.txt").write_text("reel 1\nmodule nonsense\n")
    (tmp_path / "log.csv").write_text("a,b\n1,2\n")
    out = ["-o", tmp_path / "r.html", "--no-run"]
    rows = [
        (["report", tmp_path / "none.reel", *out], 4, "none.reel"),
        (["report", tmp_path / "bad.reel.txt", *out], 1, "bad.reel.txt"),
        (["report", tmp_path / "m.reel"], 2, "-o FILE.html"),
        (["report", tmp_path / "m.reel", *out, "--log", tmp_path / "none.csv"], 4, "none.csv"),
        (["report", tmp_path / "m.reel", *out, "--log", tmp_path / "log.csv"], 1, "no column step"),
        (["report", tmp_path / "m.reel", *out, "--cpu", "z80"], 1, "z80"),
        (["report", tmp_path / "m.reel", *out, "--extent", "B"], 2, "NAME=NUMBER"),
        (["report", tmp_path / "m.reel", "-o", tmp_path / "no" / "r.html", "--no-run"], 4, "r.html"),
        (["report", tmp_path / "m.reel", *out, "--budget-memory", "1000"], 3, ""),
    ]
    for arguments, status, message in rows:
        done = run(*arguments)
        assert done.returncode == status and message in done.stderr, (arguments, done)
    assert not (tmp_path / "r.html").exists()


def test_a_compiled_function_shows_its_graphs():
    @reel.function
    def f(x):
        return reel.sum(reel.exp(x) * 2)

    assert "0 graphs" in f._repr_html_()
    f(reel.ones(3))
    f(reel.ones((2, 5)))
    text = f._repr_html_()
    assert "2 graphs" in text and "f32[2,5]" in text and text.count("<svg") == 2
    balance = Balance()
    balance.feed(text)
    assert not balance.open
