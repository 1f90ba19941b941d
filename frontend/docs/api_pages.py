"""The pages of the Python package and of the C++ headers, as reStructuredText: one directive for each public name.

Names come from the modules and headers themselves, so a new one is on its page without a word here.
"""

import functools
import importlib
import inspect
import pathlib
import pkgutil
import re

from docstrings import to_rst

# Families of functions: title, and the files of the package or the extension that define them.
FAMILIES = (
    ("Making tensors", ("creation",)),
    ("Element by element", ("elementwise",)),
    ("Sums and extremes", ("reductions",)),
    ("Shapes", ("shapes",)),
    ("Indexing, sorting, scattering", ("indexing",)),
    ("Products of matrices", ("linalg",)),
    ("Control flow", ("loops",)),
    ("Gradients and transforms", ("tape", "transforms", "custom", "_transforms", "_custom")),
    ("Functions, graphs, compilation", ("graphs", "executables", "_function")),
    ("Saving and loading", ("keep", "_keep", "export")),
    ("Checks", ("_debugging",)),
)


def _title(text, line="="):
    return [text, line * len(text), ""]


def _summary(value):
    """The first sentence of a docstring, after the signature that nanobind puts above it."""
    text = inspect.getdoc(value) or ""
    if getattr(value, "__nb_signature__", None):
        text = text.partition("\n\n")[2]
    sentence = re.split(r"(?<=[^.][.:])\s|\n\n", " ".join(text.split("\n\n")[0].split()))[0].rstrip(":")
    return to_rst([sentence])[0] if sentence else ""


def _table(names, module, role, homes):
    """Names with their first sentences, each a link to its entry."""
    rows = []
    for n in names:
        value = getattr(module, n)
        rows.append(f"   * - :py:{role}:`{n} <{homes[id(value)]}>`\n     - {_summary(value)}")
    return [".. list-table::", "   :widths: 30 70", "   :class: names", "", *rows, ""]


@functools.cache
def _defined_in(source):
    """Names that a source of the extension defines: the strings of its text."""
    return frozenset(re.findall(r'"([a-z_]\w*)"', source.read_text(encoding="utf-8")))


def _family(name, value, sources):
    for title, files in FAMILIES:
        for file in files:
            if file.startswith("_"):
                if value.__module__ == f"reel.{file}":
                    return title
            elif type(value).__name__ == "nb_func" and name in _defined_in(sources / f"{file}.cc"):
                return title
    return "More functions"


def _sections(module, names, sources):
    """(title, role, directive, names) of what a module has."""
    values = {n: getattr(module, n) for n in names}
    classes = [n for n, v in values.items() if isinstance(v, type)]
    errors = [n for n in classes if issubclass(values[n], BaseException)]
    functions = [n for n, v in values.items() if callable(v) and not isinstance(v, type)]
    yield "Classes", "class", "autoclass", [n for n in classes if n not in errors]
    if module.__name__ == "reel":
        families = {title: [] for title, _ in FAMILIES} | {"More functions": []}
        for n in functions:
            families[_family(n, values[n], sources)].append(n)
        for title, members in families.items():
            yield title, "func", "autofunction", members
    else:
        yield "Functions", "func", "autofunction", functions
    yield "Errors", "class", "autoclass", errors


def python_modules():
    """All public modules of the package, importable as named."""
    import reel

    found = ["reel"]
    for info in pkgutil.walk_packages(reel.__path__, "reel."):
        if not any(part.startswith("_") for part in info.name.split(".")):
            found.append(info.name)
    found.sort(key=lambda n: n.startswith(("reel.tf", "reel.autograph")))  # Reel's own names first
    return [n for n in found if public_names(importlib.import_module(n))]


def public_names(module):
    """What a module offers: no submodules, and nothing of other packages."""
    names = [n for n in dir(module) if not n.startswith("_") and not inspect.ismodule(getattr(module, n))]
    owner = [getattr(getattr(module, n), "__module__", None) or "reel" for n in names]
    return [n for n, o in zip(names, owner) if o.split(".")[0] == "reel"]


def homes_of(modules):
    """id of an object -> the name its entry has: where several modules have it, that in the first of them."""
    homes = {}
    for name in modules:
        module = importlib.import_module(name)
        for n in public_names(module):
            homes.setdefault(id(getattr(module, n)), f"{name}.{n}")
    return homes


def python_page(name, sources, homes):
    """The page of one module."""
    module = importlib.import_module(name)
    names = public_names(module)
    out = _title(name) + [f".. py:module:: {name}", ""] + to_rst(inspect.getdoc(module).split("\n")) + [""]
    dtypes = [n for n in names if type(getattr(module, n)).__name__ in ("DType", "float")]
    if dtypes:
        out += _title("Element types and numbers", "-") + [", ".join(f"``{n}``" for n in dtypes), ""]
    for title, role, directive, members in _sections(module, names, sources):
        if not members:
            continue
        out += _title(title, "-") + _table(members, module, role, homes)
        for n in (n for n in members if homes[id(getattr(module, n))] == f"{name}.{n}"):
            out += [f".. {directive}:: {name}.{n}"]
            out += ["   :members:", "   :show-inheritance:"] if directive == "autoclass" and title != "Errors" else []
            out += [""]
    return "\n".join(out)


def _header_text(header):
    """(what a header is for, its title): the comment above its namespace, the file's name."""
    text = header.read_text(encoding="utf-8")
    match = re.search(r"^((?:// (?!---|Generated).*\n)+)\n", text.split("namespace reel")[0], re.M)
    lines = [line[3:] for line in match[1].splitlines()] if match else []
    return to_rst(lines), header.stem.replace("_", " ")


def cpp_page(header):
    """The page of one public header."""
    about, title = _header_text(header)
    out = _title(title[0].upper() + title[1:]) + [f"``#include <reel/{header.name}>``", "", *about, ""]
    return "\n".join(out + [f".. doxygenfile:: {header.name}", "   :sections: briefdescription innernamespace innerclass "
                            "enum func var typedef define detaileddescription user-defined public-type public-func "
                            "public-attrib public-static-func public-static-attrib friend", ""])  # fmt: skip


def for_doxygen(text):
    """The public part of a header, with comments as Doxygen reads them: indented lines of `///` are code. Lines keep
    their numbers."""
    text = re.sub(r"^template <[^;{}]*>\n\w+\([^;{}]*\) -> [^;{}]*;$", "\n", text, flags=re.M)  # deduction guides
    text = re.sub(
        r"^( *) (?:private|protected):\n(?:.*\n)*?(?=\1\};)", lambda m: "\n" * m[0].count("\n"), text, flags=re.M
    )
    text = re.sub(r"^.*\binternal_\w+\(.*\{.*\}$|^.*\binternal_\w+\(\).*;$", "", text, flags=re.M)
    text = re.sub(r"= \{\.[^{}]*\}(?=\))", "= {}", text)  # designated initializers: Sphinx knows no such default
    out, code = [], False
    lines = text.split("\n")
    for i, line in enumerate(lines):
        comment = re.match(r"(\s*///)(.*)", line)
        if comment is None:
            out.append(line)
            continue
        body = comment[2]
        if body.startswith("   ") and body.strip():
            begin = " " if code else " \\verbatim "
            code = bool(re.match(r"\s*///   +\S", lines[i + 1]))
            body = begin + body[3:] + ("" if code else " \\endverbatim")
        elif body.strip() != "<":
            body = re.sub(r"^\\<", "<", re.sub(r"(?<![\w`])([@\\<#%])|(&)", lambda m: "\\" + m[0], body))
        out.append(comment[1] + body)
    return "\n".join(out)


def write_api(package_sources, headers, folder):
    """Yields (path below `folder`, text) of all pages; modules of TensorFlow's names have an index of their own."""
    modules = python_modules()
    homes = homes_of(modules)
    for name in modules:
        yield f"python/{name}.rst", python_page(name, package_sources, homes)
    own = [m for m in modules if not m.startswith(("reel.tf", "reel.autograph"))]
    other = [m for m in modules if m not in own]
    index = _title("The Python package") + ["Everything public, from its docstrings.", ""]
    for caption, names in (("Reel", own), ("TensorFlow's names", other)):
        index += [".. toctree::", f"   :caption: {caption}", "   :maxdepth: 1", "", *("   " + n for n in names), ""]
    yield "python/index.rst", "\n".join(index)
    for header in headers:
        yield f"cpp/{header.stem}.rst", cpp_page(header)
    index = _title("The C++ headers") + ["``#include <reel/reel.h>`` is all of them.", ""]
    index += [".. toctree::", "   :maxdepth: 1", "", *(f"   {h.stem}" for h in headers), ""]
    yield "cpp/index.rst", "\n".join(index)


if __name__ == "__main__":
    raise SystemExit(f"{pathlib.Path(__file__).name} is a part of make_site.py")
