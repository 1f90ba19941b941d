"""Reads event files by their public description, with the standard library alone: not with what wrote them."""

import struct


def crc32c(data):
    """RFC 3720, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The records of a TFRecord file; both sums of each are checked."""
    at = 0
    while at < len(data):
        head, (sum_of_length,) = data[at : at + 8], struct.unpack_from("<I", data, at + 8)
        (length,) = struct.unpack("<Q", head)
        body = data[at + 12 : at + 12 + length]
        (sum_of_body,) = struct.unpack_from("<I", data, at + 12 + length)
        assert sum_of_length == masked(head) and sum_of_body == masked(body)
        yield body
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def message(data):
    """{field: [values]} of a message of protocol buffers: numbers, or bytes; fixed ones as bytes."""
    out, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = data[at : at + size], at + size
        out.setdefault(key >> 3, []).append(value)
    return out


def first(fields, number, default=None):
    return fields[number][0] if number in fields else default


def double(data):
    return struct.unpack("<d", data)[0]


def events(path):
    """[(wall time, step, {field: bytes or Summary.Value as a message})] of a file."""
    out = []
    with open(path, "rb") as file:
        for record in records(file.read()):
            e = message(record)
            out.append((double(first(e, 1, bytes(8))), first(e, 2, 0), e))
    return out


def values(event):
    """The Summary.Values of an event."""
    return [message(v) for v in message(first(event, 5, b"")).get(1, [])]


def nodes(graph):
    """{name: (op, inputs, [(type, shape)])} of a GraphDef."""
    out = {}
    for data in message(graph)[1]:
        node = message(data)
        name = first(node, 1).decode()
        assert name not in out
        outputs = []
        for entry in node.get(5, []):
            key, value = first(message(entry), 1), message(first(message(entry), 2))
            if key == b"_output_shapes":
                listed = message(first(value, 1))
                types = list(listed[6][0])  # packed, each below 128
                shapes = [[signed(first(message(d), 1, 0)) for d in message(s).get(2, [])] for s in listed.get(7, [])]
                outputs = list(zip(types, shapes))
        out[name] = first(node, 2).decode(), [i.decode() for i in node.get(3, [])], outputs
    return out


def signed(x):
    return x - (1 << 64) if x >> 63 else x
