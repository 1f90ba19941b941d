"""Docstrings and comments are plain text here; this makes reStructuredText of them, letter by letter the same."""

import re

_SPECIAL = re.compile(r"([*|\\])|(?<=\w)(_)(?!\w)")


def _prose(line):
    """A line whose `code` is literal and whose other characters mean themselves."""
    out = ""
    for i, part in enumerate(re.split(r"``?([^`]+)``?", line)):
        if i % 2 == 0:
            text = _SPECIAL.sub(r"\\\1\2", part)
            out += ("\\ " if out and text[:1] not in " ,.;:)]}'" else "") + text
        elif part.strip():
            out += ("\\ " if out and out[-1] not in " ([{'" else "") + f"``{part.strip()}``"
    return out


def to_rst(lines):
    """Lines of reStructuredText: indented paragraphs become code, `>>>` doctests, the rest prose."""
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith(">>>"):
            while i < len(lines) and lines[i].strip():
                out.append(lines[i])
                i += 1
            out.append("")
        elif line.startswith("  "):
            block = []
            while i < len(lines) and (lines[i].startswith("  ") or not lines[i].strip()):
                block.append(lines[i])
                i += 1
            text = "\n".join(block).strip("\n")
            indent = min(len(b) - len(b.lstrip()) for b in text.split("\n") if b.strip())
            if all(b[indent:].startswith((">>>", "...")) for b in text.split("\n")[:1]):
                out += ["", *(b[indent:] for b in text.split("\n")), ""]
            else:
                out += ["", ".. code-block:: python", "", *("   " + b[indent:] for b in text.split("\n")), ""]
        else:
            out.append(_prose(line))
            i += 1
    return out
