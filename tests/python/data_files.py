"""Files for tests of reel.data."""

import struct
import zlib

import numpy as np

IRIS = """sepal,petal,species
5.1,1.4,setosa
7.0,4.7,versicolor
6.3,6.0,virginica
4.9,1.4,setosa
"""


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def png(pixels, depth=8):
    """A PNG of an array [h, w], [h, w, 2] (gray, alpha), [h, w, 3] or [h, w, 4], by zlib alone."""
    pixels = np.asarray(pixels, np.uint8)
    h, w = pixels.shape[:2]
    color = {1: 0, 2: 4, 3: 2, 4: 6}[pixels.size // (h * w)]

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", w, h, depth, color, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.reshape(h, -1))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


# 8x16 pixels: the left half (254, 0, 0), the right half (0, 0, 254) or nearly, by libjpeg at quality 95.
JPEG = bytes.fromhex(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000201010101010201010102020202020403020202020504040304060506"
    "060605060606070908060709070606080b08090a0a0a0a0a06080b0c0b0a0c090a0a0affdb004301020202020202050303050a070607"
    "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0affc00011"
    "080008001003011100021101031101ffc40014000100000000000000000000000000000008ffc4001410010000000000000000000000"
    "0000000000ffc4001601010101000000000000000000000000000a0809ffc40014110100000000000000000000000000000000ffda00"
    "0c03010002110311003f0017a536fe08655035efffd9"
)


def idx(array):
    array = np.asarray(array, np.uint8)
    return struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()
