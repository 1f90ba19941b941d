"""reel.data: sources, steps, iterators and their places."""

import gc
import gzip
import os
import pathlib
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import reel
from data_files import IRIS, JPEG, png, write

DATA = pathlib.Path(__file__).parents[1] / "data"


def values(data):
    return [np.asarray(x).tolist() for x in data]


# --- sources ---


def test_csv_has_features_and_classes(tmp_path):
    path = write(tmp_path / "iris.csv", IRIS)
    data = reel.data.csv(path, label="species")
    assert len(data) == 4 and data.columns == ["sepal", "petal"]
    assert data.class_names == ["setosa", "versicolor", "virginica"] and data.classes == 3
    x, y = data[1]
    assert x.dtype == reel.float32 and np.allclose(x, [7.0, 4.7]) and int(y) == 1
    assert repr(data) == '<Dataset csv("iris.csv"): 4 of (f32[2], i64[])>'
    batches = list(data.batch(3, drop_remainder=False))
    assert [np.asarray(y).tolist() for _, y in batches] == [[0, 1, 2], [0]]
    assert [spec.shape for spec in data.batch(4).specs] == [(4, 2), (4,)]
    (only,) = reel.data.csv(path, columns=["petal"]).take(1)
    assert np.allclose(only, [1.4])
    names = ["virginica", "setosa", "versicolor"]
    assert values(y for _, y in reel.data.csv(path, "species", class_names=names)) == [1, 2, 0, 1]


CSV = [  # text, options, features, labels
    ("a,b\n1,2\n3,4\n", {}, [[1, 2], [3, 4]], None),
    ("1,2\n3,4", {"header": False, "label": -1}, [[1], [3]], [2, 4]),
    ("a;b\r\n1;2.5\r\n3;4\r\n", {"delimiter": ";", "label": "b"}, [[1], [3]], [2.5, 4]),
    ("a,b\r1,2\r3,4\r", {}, [[1, 2], [3, 4]], None),
    ("\ufeffa,b\n+1,-2e3\n\n  3 ,\t4\n", {}, [[1, -2000], [3, 4]], None),
    ('"a ""x""",b\n"1",2\n3,4\n', {"label": 'a "x"'}, [[2], [4]], [1, 3]),
    ('t,b\n"x\ny",2\nz,4\n', {"label": "t"}, [[2], [4]], [0, 1]),
    ("a,b\n1,\n,4\n", {"missing": -1.0}, [[1, -1], [-1, 4]], None),
    ("a,b\n1,0\n3,1\n", {"label": "b", "label_kind": "numbers"}, [[1], [3]], [0.0, 1.0]),
    ("a,b\n1,10\n3,9\n", {"label": "b", "class_names": ["9", "10"]}, [[1], [3]], [1, 0]),
]


@pytest.mark.parametrize("text, options, features, labels", CSV)
def test_csv_forms(tmp_path, text, options, features, labels):
    for path in (write(tmp_path / "a.csv", text), write(tmp_path / "a.csv.gz", gzip.compress(text.encode()))):
        data = reel.data.csv(path, **options)
        if labels is None:
            assert values(data) == features
        else:
            assert values(x for x, _ in data) == features
            assert values(y for _, y in data) == labels


def test_csv_of_several_labels(tmp_path):
    data = reel.data.csv(write(tmp_path / "a.csv", "x,y,z\n1,u,0.5\n2,v,1.5\n"), label=["y", "z"], dtype="float64")
    x, y, z = data.batch(2)[0]
    assert x.dtype == z.dtype == reel.float64 and y.dtype == reel.int64


def test_npz_examples_are_dicts(tmp_path):
    x, y = np.arange(12, dtype=np.float32).reshape(4, 3), np.arange(4)
    np.savez(tmp_path / "a.npz", x=x, y=y)
    batch = reel.data.npz(tmp_path / "a.npz").batch(4)[0]
    assert list(batch) == ["x", "y"] and np.array_equal(batch["x"], x) and np.array_equal(batch["y"], y)
    np.savez_compressed(tmp_path / "b.npz", x=x, y=y, other=np.zeros(9))
    assert list(reel.data.npz(tmp_path / "b.npz", names=["y", "x"])[0]) == ["y", "x"]
    mapped = reel.data.npz(tmp_path / "a.npz").map(lambda e: {"sum": reel.sum(e["x"]) + 1.0})
    assert values(e["sum"] for e in mapped) == [4, 13, 22, 31]


def test_idx_is_mnist():
    folder = DATA / "mnist"
    data = reel.data.idx(folder / "t10k-images-idx3-ubyte.gz", folder / "t10k-labels-idx1-ubyte.gz", classes=10)
    assert len(data) == 10000 and data.classes == 10
    raw = gzip.decompress((folder / "t10k-images-idx3-ubyte.gz").read_bytes())
    pixels = np.frombuffer(raw[16:], np.uint8).reshape(-1, 28, 28)
    x, y = data.batch(100)[3]
    assert np.array_equal(x, pixels[300:400].astype(np.float32) / np.float32(255))
    assert y.dtype == reel.int64 and data[0][1].item() == 7
    (same,) = reel.data.idx(folder / "t10k-images-idx3-ubyte.gz", dtype="uint8").take(1)
    assert np.array_equal(same, pixels[0])


def test_image_folder_decodes_png_and_jpeg(tmp_path):
    rng = np.random.default_rng(0)
    rgb, rgba = rng.integers(0, 256, (8, 16, 3)), rng.integers(0, 256, (8, 16, 4))
    gray, gray_alpha = rng.integers(0, 256, (8, 16)), rng.integers(0, 256, (8, 16, 2))
    for name, pixels in (("a/1.png", rgb), ("a/2.PNG", rgba), ("b/1.png", gray), ("b/2.png", gray_alpha)):
        write(tmp_path / name, png(pixels))
    write(tmp_path / "b/3.jpg", JPEG)
    write(tmp_path / "b/notes.txt", "not an image")
    data = reel.data.image_folder(tmp_path, dtype="uint8")
    assert data.class_names == ["a", "b"] and len(data) == 5
    images = [np.asarray(x) for x, _ in data]
    assert values(y for _, y in data) == [0, 0, 1, 1, 1]
    assert np.array_equal(images[0], rgb) and np.array_equal(images[1], rgba[..., :3])
    assert np.array_equal(images[2], np.repeat(gray[..., None], 3, 2))
    assert np.array_equal(images[3], np.repeat(gray_alpha[..., :1], 3, 2))
    assert np.abs(images[4][:, 1].astype(int) - (254, 0, 0)).max() <= 3
    assert np.abs(images[4][:, -2].astype(int) - (0, 0, 254)).max() <= 3
    luma = (rgb * (299, 587, 114)).sum(-1) / 1000
    grays = reel.data.image_folder(tmp_path, (8, 16), channels=1).map(lambda x, y: x)
    assert np.abs(np.asarray(grays[0])[..., 0] * 255 - luma).max() <= 0.51
    assert np.array_equal(grays[2], (gray[..., None] / np.float32(255)).astype(np.float32))
    small = reel.data.image_folder(tmp_path, (4, 8), resize=True).batch(5)[0][0]
    assert small.shape == (5, 4, 8, 3)
    halves = rgb.reshape(4, 2, 8, 2, 3).mean((1, 3)) / 255  # half the size: the mean of four
    assert np.allclose(small[0], halves, atol=1e-6)


def test_images_are_those_of_pillow(tmp_path):
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(1).integers(0, 256, (19, 33, 3)).astype(np.uint8)
    for name in ("a/1.png", "a/2.jpg"):
        (tmp_path / "a").mkdir(exist_ok=True)
        image.fromarray(pixels).save(tmp_path / name, quality=90)
    image.fromarray(pixels).convert("P").save(tmp_path / "a/3.png")
    image.fromarray(pixels).save(tmp_path / "a/4.jpg", progressive=True, quality=70)
    for channels, mode in ((3, "RGB"), (1, "L")):
        data = reel.data.image_folder(tmp_path, channels=channels, dtype="uint8")
        for (x, _), path in zip(data, sorted((tmp_path / "a").iterdir())):
            expected = np.asarray(image.open(path).convert("RGB").convert(mode)).astype(int)
            difference = np.abs(np.asarray(x).astype(int).reshape(expected.shape) - expected).max()
            assert difference <= (1 if path.suffix == ".jpg" else 0), path


def test_text_windows_have_their_next_tokens(tmp_path):
    text = "abcabd\u00e9f\U0001f600ab"
    path = write(tmp_path / "t.txt", text)
    data = reel.data.text(path, length=4)
    v = data.vocabulary
    assert len(v) == len(set(text)) and v.symbols == sorted(set(text)) and len(data) == 2
    assert [(v.decode(x), v.decode(y)) for x, y in data] == [("abca", "bcab"), ("bd\u00e9f", "d\u00e9f\U0001f600")]
    assert len(reel.data.text(path, length=4, stride=1)) == len(text) - 4
    raw = reel.data.text(path, length=4, unit="bytes")
    assert raw.vocabulary.decode(raw[0][0]) == b"abca" and len(raw.vocabulary) == 256
    v.save(tmp_path / "v.json")
    again = reel.data.Vocabulary.load(tmp_path / "v.json")
    assert again.symbols == v.symbols and again.decode(again.encode("f\u00e9a")) == "f\u00e9a"
    reel.data.Vocabulary.bytes().save(tmp_path / "b.json")
    assert len(reel.data.Vocabulary.load(tmp_path / "b.json")) == 256
    other = write(tmp_path / "other.txt", "bad" * 9)
    same = reel.data.text(other, length=4, vocabulary=v)
    assert np.array_equal(same[0][0], v.encode("badb"))
    assert len(reel.data.text(DATA / "tinyshakespeare.txt.gz", 64).vocabulary) == 65


def test_arrays_are_shared_and_shaped(tmp_path):
    x, y = np.arange(6.0).reshape(3, 2), np.array([1, 2, 3])
    data = reel.data.arrays(x, y)
    assert [a.dtype for a in data[0]] == [reel.float64, reel.int64]
    x[0, 0] = 9  # the very memory
    assert data[0][0][0].item() == 9
    assert values(reel.data.arrays(y)) == [1, 2, 3]
    assert list(reel.data.arrays(x=x, y=y)[0]) == list(reel.data.arrays({"x": x, "y": y})[0]) == ["x", "y"]
    assert values(reel.data.arrays(x[::2])) == [[9, 1], [4, 5]]
    assert values(reel.data.arrays(x.T.astype(">f4"))) == [[9, 2, 4], [1, 3, 5]]
    assert values(reel.data.arrays([[1, 2], [3, 4]])) == [[1, 2], [3, 4]]


# --- steps and iterators ---


def test_steps_are_python():
    data = reel.data.range(10)
    assert values(data.map(lambda i: i * i).skip(2).take(3)) == [4, 9, 16]
    a, b = data.split(0.8)
    assert len(a) == 8 and sorted(values(a) + values(b)) == list(range(10))
    assert values(data.split(0.8, seed=None)[1]) == [8, 9]
    assert sorted(values(data.shuffle(1))) == list(range(10))
    assert len(data.repeat(3)) == 30 and data and not data.take(0)
    forever = data.repeat()
    with pytest.raises(TypeError, match=r"range\(10\).repeat\(\) never ends"):
        len(forever)
    assert repr(forever) == "<Dataset range(10).repeat(): without end of (i64[])>"
    assert repr(data.map(lambda i: i)) == "<Dataset range(10).map(f): 10>"
    assert data[-1].item() == 9
    with pytest.raises(IndexError, match="no example 10"):
        data[10]
    with pytest.raises(TypeError, match="take"):
        data[1:3]
    noise = data.map(lambda i, g: (i, reel.random.normal((2,), generator=g)), seed=3)
    assert values(x for _, x in noise) == values(x for _, x in noise.prefetch(3))


def test_each_iteration_is_an_epoch():
    data = reel.data.range(20).shuffle(0)
    first, second = values(data), values(data)
    assert first != second
    again = reel.data.range(20).shuffle(0)
    assert [values(again), values(again)] == [first, second]
    assert values(again.iterate(1)) == second
    assert values(reel.data.range(20).shuffle(0).repeat(2)) == first + second


def test_map_of_torch_like_datasets():
    class Squares:
        def __len__(self):
            return 5

        def __getitem__(self, i):
            return np.float32(i), np.full(2, i)

    source = Squares()
    data = reel.data.range(len(source)).map(lambda i: source[int(i)])
    x, y = data.batch(5)[0]
    assert np.asarray(x).tolist() == [0, 1, 2, 3, 4] and y.shape == (5, 2)


@pytest.mark.parametrize("prefetch", [0, 1, 3])
def test_checkpoints_keep_the_place(tmp_path, prefetch):
    def make():
        data = reel.data.arrays(np.arange(30), np.arange(30.0)).shuffle(4).repeat(3).batch(7).map(lambda x, y: x)
        return iter(data.prefetch(prefetch) if prefetch else data)

    whole = values(make())
    for taken in (0, 1, 5, 12):
        iterator = make()
        for _ in range(taken):
            next(iterator)
        reel.Checkpoint(tmp_path / f"run{taken}", data=iterator, step=taken).save()
        resumed = make()
        checkpoint = reel.Checkpoint(tmp_path / f"run{taken}", data=resumed, step=0)
        checkpoint.restore()
        assert checkpoint.step == resumed.position == taken
        assert values(resumed) == whole[taken:]
    assert "position" in repr(type(resumed).position) or resumed.epoch == 0
    other = iter(reel.data.range(5))
    with pytest.raises(ValueError, match="is a place in other data, or in other steps, than range"):
        reel.Checkpoint(tmp_path / "run5", data=other, step=0).restore()
    with pytest.raises(TypeError, match="iter"):
        reel.Checkpoint(tmp_path / "x", data=reel.data.range(5)).save()
    state = resumed.state_dict()
    third = make()
    third.load_state_dict(state)
    assert third.position == resumed.position


def test_errors_of_map_arrive_in_order():
    def f(i):
        if int(i) % 3 == 1:
            raise KeyError(int(i))
        return i

    for data in (reel.data.range(5).map(f), reel.data.range(5).map(f).prefetch(3)):
        iterator, seen = iter(data), []
        while True:
            try:
                seen.append(next(iterator).item())
            except KeyError as e:
                seen.append(str(e))
            except StopIteration:
                break
        assert seen == [0, "1", 2, 3, "4"]
    with pytest.raises(ValueError, match="returned None"):
        reel.data.range(3).map(lambda i: None)[0]


def test_iterators_may_be_dropped_while_the_thread_is_in_python():
    for _ in range(20):
        iterator = iter(reel.data.range(1000).map(lambda i: i + 1).prefetch(4))
        next(iterator)
        del iterator
    gc.collect()


def test_threads_share_an_iterator():
    iterator, parts = iter(reel.data.range(300).map(lambda i: i).prefetch(2)), [[], []]
    threads = [threading.Thread(target=lambda p=p: p.extend(values(iterator))) for p in parts]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        assert 0 <= iterator.position <= 300
    assert sorted(parts[0] + parts[1]) == list(range(300))


def test_an_interrupt_ends_the_wait_and_takes_nothing():
    class Alarm(Exception):
        pass

    def alarm(*_):
        raise Alarm

    gate = threading.Event()
    iterator = iter(reel.data.range(3).map(lambda i: i if gate.wait(30) else None).prefetch(1))
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Alarm):
            next(iterator)
    finally:
        signal.signal(signal.SIGALRM, before)
    gate.set()
    assert iterator.position == 0 and values(iterator) == [0, 1, 2]


def test_an_interrupted_map_takes_nothing():
    interrupts = [KeyboardInterrupt]

    def f(i):
        if int(i) == 1 and interrupts:
            raise interrupts.pop()
        return i

    for data in (reel.data.range(3).map(f), reel.data.range(3).map(f).prefetch(1)):
        iterator, interrupts[:] = iter(data), [KeyboardInterrupt]
        next(iterator)
        with pytest.raises(KeyboardInterrupt):
            next(iterator)
        assert iterator.position == 1 and values(iterator) == [1, 2]


def test_the_process_ends_with_threads_running():
    program = """
import reel, time
a = iter(reel.data.range(10**9).map(lambda i: i).prefetch(8))
b = iter(reel.data.range(10**9).map(lambda i: time.sleep(0.001) or i).prefetch(1))
print(next(a).item() + next(b).item())
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "0\n", "")


def test_forked_children_go_on():
    iterator = iter(reel.data.range(50).map(lambda i: i).shuffle(0).prefetch(3))
    expected = values(reel.data.range(50).shuffle(0))
    assert [next(iterator).item() for _ in range(4)] == expected[:4]
    child = os.fork()
    if child == 0:
        os._exit(0 if values(iterator) == expected[4:] else 1)
    assert values(iterator) == expected[4:]
    assert os.waitpid(child, 0)[1] == 0


def test_training_loop_reads_naturally(tmp_path):
    path = write(tmp_path / "iris.csv", IRIS)
    model, optimizer = reel.nn.Dense(3, generator=reel.random.Generator(1)), reel.optim.Adam(0.1)
    losses = []
    for x, y in reel.data.csv(path, label="species").shuffle(0).repeat(30).batch(4).prefetch(2):
        with reel.GradientTape() as tape:
            loss = reel.nn.softmax_cross_entropy(model(x), y)
        optimizer.apply(tape.gradient(loss, model.variables), model.variables)
        losses.append(loss.item())
    assert len(losses) == 30 and losses[-1] < losses[0] / 2


# --- files that are wrong ---


def own_mb():
    """Memory of this process that is no file's."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


def test_npy_files_are_read_row_by_row(tmp_path):
    rows, width = 16384, 1024  # 64 MB
    x = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype="f4", shape=(rows, width))
    x[:, 0] = np.arange(rows)
    x.flush()
    del x
    np.save(tmp_path / "y.npy", np.arange(rows) % 7)
    data = reel.data.npy(x=tmp_path / "x.npy", y=tmp_path / "y.npy")
    before = own_mb()
    for batch in data.shuffle(0).batch(8).take(32):
        number = np.asarray(batch["x"])[:, 0].astype(int)
        assert (np.asarray(batch["y"]) == number % 7).all()
    assert own_mb() - before < 16
    members = [next(iter(data.shuffle(3).batch(8).shard(rank, 2))) for rank in range(2)]
    whole = np.asarray(next(iter(data.shuffle(3).batch(8)))["x"])
    assert (np.concatenate([np.asarray(m["x"]) for m in members]) == whole).all()
    assert np.asarray(reel.data.npy(tmp_path / "y.npy")[9]) == 2
    assert len(reel.data.npy(tmp_path / "y.npy", tmp_path / "x.npy")[0]) == 2
