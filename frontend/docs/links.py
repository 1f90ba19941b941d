"""Links and anchors of Markdown files: what the site rewrites and what a test looks up."""

import html
import json
import os
import re
import subprocess

# Fenced blocks and code spans first: what looks like a link there is none.
_CODE = r"^(?P<fence>```+|~~~+)[^\n]*\n.*?^(?P=fence)[ \t]*$|(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)"
_LINK = re.compile(
    rf"{_CODE}|(?P<inline>\]\()(?P<target>[^()\s]+)(?=[)\s])|(?P<attribute><(?:img|a)\b[^>]*?\b(?:src|href)=\")(?P<path>[^\"]+)",
    re.M | re.S,
)
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)


def rewrite(text, change):
    """The text with `change(target)` in the place of every link's target; code stays as it is."""

    def one(match):
        if match["inline"]:
            return match["inline"] + change(match["target"])
        if match["attribute"]:
            return match["attribute"] + change(match["path"])
        return match[0]

    return _LINK.sub(one, text)


def links(text):
    """[(line, target)] of inline links, images and HTML's <img src> and <a href>."""
    found = ((m, m["target"] or m["path"]) for m in _LINK.finditer(text))
    return [(text.count("\n", 0, m.start()) + 1, target) for m, target in found if target]


def external(target):
    """True of https://... and mailto:..., which nothing here looks up."""
    return bool(_EXTERNAL.match(target))


def anchors(text):
    """The anchors that headings and <a id=""> make, as GitHub and MyST write them."""
    prose = re.sub(r"^(```+|~~~+)[^\n]*\n.*?^\1[ \t]*$", "", text, flags=re.M | re.S)
    counts, found = {}, set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", prose))
    for heading in re.findall(r"^#{1,6}[ \t]+(.*?)[ \t]*#*$", prose, re.M):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", html.unescape(heading)).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        n = counts.get(slug, 0)
        counts[slug] = n + 1
        found.add(f"{slug}-{n}" if n else slug)
    return found


def notebook(text, change):
    """The text of a notebook, whose cells of prose have `change` done to them: a function of their Markdown."""
    content = json.loads(text)
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = change("".join(cell["source"])).splitlines(keepends=True)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def prose(text):
    """The Markdown of a notebook's cells."""
    return "\n\n".join("".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "markdown")


def markdown_files(root):
    """The Markdown files of the repository, by path: those that git has, or all that lie there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        return sorted(f for f in listed.stdout.split("\0") if f and os.path.exists(os.path.join(root, f)))
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith("build") and (f == ".github" or not f.startswith("."))]
        found += [os.path.relpath(os.path.join(folder, n), root) for n in names if n.endswith(".md")]
    return sorted(found)
