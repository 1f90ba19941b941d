"""Tensors and variables as small tables, for notebooks."""

import html

from ._core import Tensor

STYLE = "text-align:right;font-family:monospace"


def _rows(text):
    """Cells of each innermost row of an array's text, one such row a line; None between matrices."""
    for line in text.splitlines():
        inside = line.strip().strip("[],").strip()
        yield [cell.strip() for cell in inside.split(",")] if inside else None


def _table(caption, rows):
    out = [f"<table><caption>{html.escape(caption)}</caption>"]
    for row in rows:
        cells = row or [""]
        out.append("<tr>" + "".join(f'<td style="{STYLE}">{_cell(c)}</td>' for c in cells) + "</tr>")
    return "".join(out) + "</table>"


def _cell(text):
    return "…" if text == "..." else html.escape(text)


def table(value: Tensor, caption: str) -> str:
    """The HTML text of a core tensor that has elements: a row for each innermost row, summarised as its text is."""
    import numpy as np

    shape = value.shape
    caption += f" {value.dtype} [{', '.join(map(str, shape))}]"
    if not shape:
        return _table(caption, [[str(value)]])
    if 0 in shape:
        return _table(caption, [])
    array = value.numpy() if str(value.dtype) != "bfloat16" else value.astype("float32").numpy()
    text = np.array2string(array, separator=", ", max_line_width=1 << 30)
    return _table(caption, _rows(text))


def note(text: str) -> str:
    """The HTML text of what has no elements to show."""
    return f"<pre>{html.escape(text)}</pre>"
