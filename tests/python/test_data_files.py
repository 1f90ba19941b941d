"""reel.data: files that are wrong, and damaged ones."""

import gzip
import random
import struct
import zlib

import numpy as np
import pytest

import reel
from data_files import IRIS, JPEG, idx, png, write

WRONG_CSV = [  # text, options, what the error says
    ("", {}, "the file is empty"),
    ("\n\n", {}, "no lines but blank ones"),
    ("a,b\n", {}, "no line below the header"),
    ("a,b\n1,2\n3\n", {}, "line 3 has 1 cell, expected 2 as in the header"),
    ("1,2\n3,4,5\n", {"header": False}, "line 2 has 3 cells, expected 2 as in the first line"),
    ('a,b\n"1\n",2\n3,4\n', {}, 'line 2, column 1 ("a"): "1\\n" is no number'),
    ('a,b\n1,"x\ny\nz"\n3\n', {"label": "b"}, "line 5 has 1 cell"),
    ("a,b\n1,two\x1b\n", {}, 'line 2, column 2 ("b"): "two\\x1b" is no number'),
    ("a,b\n1,\n", {}, 'line 2, column 2 ("b"): the cell is empty'),
    ("a,b\n1,1e999\n", {}, "no number"),
    ("a,b\n1,1e300\n", {}, "too large for float32; take float64"),
    ("a,b\n1,0x10\n", {}, "no number"),
    ("a,b\n1,2\n", {"label": "c"}, 'no column "c"; there are "a", "b"'),
    ("a,a\n1,2\n", {"label": "a"}, "several columns are called"),
    ("a,b\n1,2\n", {"label": "a", "columns": ["a"]}, "chosen twice"),
    ("a,b\n1,-2\n", {"label": "b"}, "the label -2 is negative"),
    (
        "a,b\n1,2\n1,3\n",
        {"label": "b", "classes": 3},
        'line 3, column 2 ("b"): the label 3 is out of range: there are 3',
    ),
    ("a,b\n1,x\n", {"label": "b", "class_names": ["y", "z"]}, 'the label "x" is none of "y", "z"'),
    ("a,b\n1,x\n2,y\n3,z\n", {"label": "b", "classes": 2}, "has 3 classes, expected at most 2"),
    ("a,b\n1,\n", {"label": "b"}, "the label is empty"),
    ("a,b\n1,x\n", {"label": "b", "label_kind": "numbers"}, '"x" is no number'),
    ('a,b\n1,2"2\n', {}, "line 2: a quote within a cell"),
    ('a,b\n1,"2\n', {}, "line 2: a quote is not closed"),
    (b"a\xff,b\n1,2\n", {}, "is no UTF-8"),
    (b"a,b\n1,\xff\n", {"label": "b"}, '"\\xff" is no UTF-8'),
    ("a,b\n1,2\n", {"delimiter": "::"}, "delimiter"),
    ("a,b\n1,2\n", {"delimiter": "\n"}, "delimiter"),
    ("a,b\n1,2\n", {"label_kind": "class"}, "there is no 'class'; there are: auto, classes, numbers"),
    ("a,b\n1,2\n", {"dtype": "int32"}, "float32 or float64"),
]


@pytest.mark.parametrize("text, options, message", WRONG_CSV)
def test_wrong_csv(tmp_path, text, options, message):
    path = write(tmp_path / "wrong.csv", text)
    with pytest.raises(reel.Error) as e:
        reel.data.csv(path, **options)
    assert message in str(e.value)
    if not {"delimiter", "dtype"} & set(options) and options.get("label_kind") != "class":
        assert str(path) in str(e.value)


def npy_bytes(tmp_path, array):
    np.save(tmp_path / "made.npy", array)
    return (tmp_path / "made.npy").read_bytes()


def npz_bytes(tmp_path, **arrays):
    np.savez(tmp_path / "made.npz", **arrays)
    return (tmp_path / "made.npz").read_bytes()


def test_wrong_files(tmp_path):
    huge = struct.pack(">HBB3I", 0, 8, 3, 2**32 - 1, 2**32 - 1, 2**32 - 1)
    images, labels = idx(np.zeros((3, 2, 2))), idx([0, 1, 12])
    ok = write(tmp_path / "ok.idx", images)
    table = [  # function, content, arguments, what the error says
        (reel.data.idx, b"", {}, "no IDX file"),
        (reel.data.idx, b"\0\0\x0d\1\0\0\0\1" + bytes(4), {}, "its type is 13, and only unsigned bytes"),
        (reel.data.idx, b"\0\0\x08\0", {}, "it has 0 axes"),
        (reel.data.idx, b"\0\0\x08\xff" + bytes(4096), {}, "it has 255 axes"),
        (reel.data.idx, b"\0\0\x08\3\0\0", {}, "ends within the header"),
        (reel.data.idx, huge + bytes(100), {}, "overflows"),
        (reel.data.idx, images[:-1], {}, "u8[3,2,2] takes 12 bytes, but 11 follow the header"),
        (reel.data.idx, gzip.compress(images)[:-9], {}, "the gzip data end too early"),
        (reel.data.idx, gzip.compress(images)[:-8] + b"12345678", {}, "damaged gzip data"),
        (lambda p, **o: reel.data.idx(ok, p, **o), labels, {"classes": 10}, "label 2 is 12, but there are 10 classes: 0 to 9"),
        (lambda p, **o: reel.data.idx(ok, p, **o), idx([0, 1]), {}, "has 2 rows, but array 0 u8[3,2,2] has 3"),
        (lambda p, **o: reel.data.idx(ok, p, **o), images, {}, "labels have one axis"),
        (reel.data.npz, b"", {}, "the file is empty"),
        (reel.data.npz, npz_bytes(tmp_path, x=np.zeros(3), y=np.zeros(4)), {}, '"y" f64[4] has 4 rows, but "x"'),
        (reel.data.npz, npz_bytes(tmp_path, x=np.zeros(3)), {"names": ["z"]}, 'no array "z"; there are "x"'),
        (reel.data.npz, npz_bytes(tmp_path, x=np.float32(3)), {}, '"x" is a scalar'),
        (reel.data.npy, b"", {}, "the file is empty"),
        (reel.data.npy, b"PK no array", {}, "not an .npy file"),
        (reel.data.npy, npy_bytes(tmp_path, np.zeros(3))[:-1], {}, "f64[3] takes 24 bytes, but 23 follow the header"),
        (reel.data.npy, npy_bytes(tmp_path, np.float32(3)), {}, "array 0 is a scalar"),
        (reel.data.npy, npy_bytes(tmp_path, np.asfortranarray(np.zeros((3, 4)))), {}, "numpy.ascontiguousarray"),
        (reel.data.npy, npy_bytes(tmp_path, np.zeros(3, bool))[:-1] + b"\2", {}, "a bool is neither 0 nor 1"),
        (reel.data.npy, b"\x93NUMPY\1\0\x33\0{'descr':'<f8','fortran_order':False,'shape':(1,)}\n" + bytes(8), {}, "not aligned"),
        (reel.data.text, b"", {}, "the file is empty"),
        (reel.data.text, b"ab\xe9cd" * 99, {}, 'byte 2 is "\\xe9"'),
        (reel.data.text, b"abc" * 9, {"length": 27}, "27 tokens are no window of 27"),
        (reel.data.text, b"abc", {"length": 0}, "must be positive"),
        (reel.data.text, b"abc" * 9, {"length": 4, "vocabulary": reel.data.Vocabulary.of_characters("ab")},
         'the character "c" at byte 2 is not in the vocabulary of 2'),
        (reel.data.Vocabulary.load, b"{}", {}, "no vocabulary"),
        (reel.data.Vocabulary.load, b"[" * 99999, {}, "no vocabulary"),
        (reel.data.Vocabulary.load, b'{"unit": "character", "symbols": ["a", "bc"]}', {}, "symbol 1 is not one character"),
        (reel.data.Vocabulary.load, b'{"unit": "character", "symbols": ["a", "a"]}', {}, "symbol 1 is there twice"),
    ]  # fmt: skip
    for i, (function, content, arguments, message) in enumerate(table):
        path = write(tmp_path / f"wrong{i}", content)
        with pytest.raises(reel.Error) as e:
            function(path, **arguments)
        assert message in str(e.value), str(e.value)
    for function in (
        reel.data.csv,
        reel.data.npz,
        reel.data.npy,
        reel.data.idx,
        reel.data.text,
        reel.data.image_folder,
    ):
        with pytest.raises(LookupError, match="no.such"):
            function(tmp_path / "no.such")
    with pytest.raises(ValueError, match="first extents must be equal"):
        reel.data.arrays(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="token 2 at 1"):
        reel.data.Vocabulary.of_characters("ab").decode([0, 2])


def test_wrong_images(tmp_path):
    good, gray = png(np.zeros((4, 6, 3))), png(np.zeros((4, 6)))
    bomb = png(np.zeros((4, 6)))
    bomb = bomb[:16] + struct.pack(">II", 60000, 60000) + bomb[24:29] + struct.pack(
        ">I", zlib.crc32(b"IHDR" + struct.pack(">II", 60000, 60000) + bomb[24:29])
    ) + bomb[33:]  # fmt: skip
    table = [  # content of the second image, options, what the error says
        (png(np.zeros((6, 4, 3))), {}, "the image is 6x4 (height x width), expected 4x6"),
        (good[:-20], {}, "damaged PNG"),
        (good[:40], {}, "damaged PNG"),
        (JPEG[: len(JPEG) // 2], {"size": (8, 16)}, "damaged JPEG"),
        (JPEG[:-40], {"size": (8, 16)}, "damaged JPEG"),
        (b"GIF89a" + bytes(50), {}, "neither a PNG nor a JPEG"),
        (b"", {}, "neither a PNG nor a JPEG"),
        (bomb, {"resize": True}, "60000x60000 pixels (height x width) does not fit"),
        (b"\x89PNG\r\n\x1a\n", {}, "damaged PNG"),
    ]
    for i, (content, options, message) in enumerate(table):
        folder = tmp_path / str(i)
        write(folder / "a/1.png", gray if i % 2 else good)
        path = write(folder / "a/2.png", content)
        data = reel.data.image_folder(folder, **options)
        for wrong in (lambda: data[1], lambda: list(data.skip(1).batch(1).prefetch(1))):
            with pytest.raises(reel.Error) as e:
                wrong()
            assert message in str(e.value) and str(path) in str(e.value), str(e.value)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match="it is empty"):
        reel.data.image_folder(empty)
    (empty / "a").mkdir()
    with pytest.raises(ValueError, match="the class has no image"):
        reel.data.image_folder(empty)
    write(empty / "a/x.gif", b"GIF89a")
    with pytest.raises(ValueError, match="expected .png, .jpg or .jpeg; convert it"):
        reel.data.image_folder(empty)
    for options, message in (
        ({"size": (0, 4)}, "both"),
        ({"channels": 2}, "expected 1"),
        ({"dtype": "int32"}, "uint8"),
    ):
        with pytest.raises(ValueError, match=message):
            reel.data.image_folder(tmp_path / "0", **options)


def test_damaged_files_are_errors_and_nothing_else(tmp_path):
    """Flips, cuts and doubles bytes: what comes is data or a reel.Error."""
    rng = random.Random(21)
    pixels = np.random.default_rng(2).integers(0, 256, (9, 7, 3))
    kinds = {
        "csv": (IRIS.encode(), lambda p: reel.data.csv(p, label=-1)),
        "gz": (gzip.compress(IRIS.encode()), lambda p: reel.data.csv(p, label=-1)),
        "idx": (idx(pixels), lambda p: reel.data.idx(p)),
        "npz": (npz_bytes(tmp_path, x=np.arange(9), y=np.zeros((9, 2))), lambda p: reel.data.npz(p)),
        "png": (png(pixels), lambda p: reel.data.image_folder(p.parents[1], resize=True)),
        "gray": (png(pixels[..., 0]), lambda p: reel.data.image_folder(p.parents[1], (5, 5), resize=True)),
        "jpg": (JPEG, lambda p: reel.data.image_folder(p.parents[1], channels=1, resize=True)),
        "json": (b'{"unit": "character", "symbols": ["a", "b"]}', reel.data.Vocabulary.load),
        "txt": ("abc\u00e9".encode() * 9, lambda p: reel.data.text(p, 4)),
    }
    for kind, (content, read) in kinds.items():
        ending = "png" if kind == "gray" else kind
        path = tmp_path / kind / "class" / f"file.{ending}"
        outcomes = set()
        for _ in range(150):
            damaged = bytearray(content)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(damaged))
                what = rng.randrange(4)
                if what == 0:
                    damaged[at] ^= 1 << rng.randrange(8)
                elif what == 1:
                    damaged[at] = rng.choice(b'\x00\xff\x7f"\n,-9')
                elif what == 2:
                    del damaged[at : at + rng.randint(1, 9)]
                else:
                    damaged[at:at] = damaged[at : at + rng.randint(1, 9)]
                if not damaged:
                    damaged = bytearray(b"\0")
            write(path, bytes(damaged))
            try:
                data = read(path)
                if isinstance(data, reel.data.Dataset):
                    list(data)
                outcomes.add("data")
            except reel.Error as e:
                assert str(e).isprintable() or "\n" in str(e)
                outcomes.add("error")
        assert "error" in outcomes, kind
