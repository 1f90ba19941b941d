"""Builds the documentation into one folder, HTML that needs no server.

    python3 frontend/docs/make_site.py --build BUILD        BUILD/docs/html/index.html

The Markdown files of the repository are copied to BUILD/docs/source with their links turned to the site's pages; the pages of
the Python package come from its docstrings, those of the headers from Doxygen; Sphinx does the rest. Any warning is an error.
"""

import argparse
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import links

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parents[1]
# Documents that users read, elsewhere in the repository: their pages. Other files are below inside/.
PAGES = {
    "frontend/GRADIENTS.md": "gradients",
    "frontend/DEBUGGING.md": "debugging",
    "frontend/python/FROM_TENSORFLOW.md": "from_tensorflow",
    "frontend/cli/README.md": "command_line",
    "frontend/onnx/README.md": "onnx",
    "frontend/stablehlo/README.md": "stablehlo",
    "frontend/tensorflow/README.md": "tensorflow",
    "frontend/report/README.md": "report",
    "codegen/EXAMPLE.md": "compiler_example",
    "codegen/GLOSSARY.md": "compiler_words",
    "ir/MEANING.md": "meaning",
    "ir/FORMAT.md": "format",
    "ir/OPS.md": "ops",
    "tests/accuracy/README.md": "accuracy",
    "tests/bench/README.md": "benchmarks",
    ".github/CONTRIBUTING.md": "contributing",
    ".github/CHANGELOG.md": "changelog",
}
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".gif")
DOXYFILE = """
PROJECT_NAME = reel
INPUT = {headers}
FILE_PATTERNS = *.h
OUTPUT_DIRECTORY = {out}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_LOCAL_CLASSES = NO
EXCLUDE_SYMBOLS = reel::internal* internal::*
AUTOLINK_SUPPORT = NO
QUIET = YES
WARNINGS = YES
WARN_IF_UNDOCUMENTED = NO
WARN_LOGFILE = {out}/warnings
"""


def page_of(path):
    """The site's page of a Markdown file of the repository, without its ending."""
    if path in PAGES:
        return PAGES[path]
    folder, name = posixpath.split(path)
    if folder.startswith("frontend/docs") and path != "frontend/docs/README.md":
        return path[len("frontend/docs/") : -len(".md")]
    if name == "README.md":
        return "inside/" + (folder or "reel")
    return "inside/" + path[: -len(".md")]


def retarget(path, files):
    """What `links.rewrite` puts in the place of a link in the file at `path`."""
    here = posixpath.dirname(page_of(path))

    def change(target):
        if links.external(target) or target.startswith("#"):
            return target
        file, _, anchor = target.partition("#")
        goal = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        readme = posixpath.join(goal, "README.md")
        goal = readme if readme in files else goal
        if goal in files:
            page = posixpath.relpath(page_of(goal) + ".md", here or ".")
            return page + ("#" + anchor if anchor else "")
        if goal.endswith(PICTURES + (".ipynb",)) and (ROOT / goal).exists():
            inside = goal.startswith("frontend/docs/")
            return posixpath.relpath(goal[len("frontend/docs/") :] if inside else "files/" + goal, here or ".")
        return "source:" + goal  # a file of the repository that is no page: conf.py makes plain text of it

    return change


class Stage:
    """Files of the site's source: written when they differ, so that Sphinx reads only those; others are removed."""

    def __init__(self, folder):
        self.folder, self.written = folder, set()

    def write(self, name, data):
        path = self.folder / name
        self.written.add(path)
        data = data.encode() if isinstance(data, str) else data
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def remove_others(self):
        for path in [p for p in self.folder.rglob("*") if p.is_file() and p not in self.written]:
            path.unlink()


def retarget_contents(text, change):
    """The text with the entries of its tables of contents, which are paths of documents without .md, changed as links."""

    def entry(match):
        page = change(match[0] + ".md")
        return match[0] if page.startswith("source:") else page[: -len(".md")]

    return re.sub(
        r"^```\{toctree\}\n.*?^```$", lambda m: re.sub(r"^[\w./]+$", entry, m[0], flags=re.M), text, flags=re.M | re.S
    )


def stage_documents(stage):
    files = set(links.markdown_files(ROOT))
    pictures = set()
    for path in sorted(files):
        change = retarget(path, files)
        text = links.rewrite((ROOT / path).read_text(encoding="utf-8"), change)
        text = retarget_contents(text, change)
        stage.write(page_of(path) + ".md", text)
        for _, target in links.links(text):
            if "files/" in target and not links.external(target):
                pictures.add(target.split("files/", 1)[1])
    for picture in pictures:
        stage.write("files/" + picture, (ROOT / picture).read_bytes())
    for path in sorted(p for p in DOCS.rglob("*") if p.suffix in PICTURES):
        stage.write(path.relative_to(DOCS).as_posix(), path.read_bytes())
    for path in sorted(DOCS.rglob("*.ipynb")):
        change = retarget(path.relative_to(ROOT).as_posix(), files)
        text = links.notebook(
            path.read_text(encoding="utf-8"), lambda prose, change=change: links.rewrite(prose, change)
        )
        stage.write(path.relative_to(DOCS).as_posix(), text)
    inside = sorted(page_of(f)[len("inside/") :] for f in files if page_of(f).startswith("inside/"))
    tree = "\n".join(inside)
    stage.write("inside/index.md", f"# The folders of the repository\n\n```{{toctree}}\n:maxdepth: 1\n{tree}\n```\n")


def run_doxygen(doxygen, out):
    """XML of the public headers, as Breathe reads it; what Doxygen complains of is an error."""
    from api_pages import for_doxygen

    headers = Stage(out / "headers")
    for header in sorted((ROOT / "frontend/reel").glob("*.h")):
        headers.write(header.name, for_doxygen(header.read_text(encoding="utf-8")))
    headers.remove_others()
    (out / "Doxyfile").write_text(DOXYFILE.format(headers=out / "headers", out=out), encoding="utf-8")
    subprocess.run([doxygen, str(out / "Doxyfile")], check=True)
    warnings = (out / "warnings").read_text(encoding="utf-8")
    if warnings:
        raise SystemExit(f"make_site.py: Doxygen warns about the comments of headers:\n{warnings}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, help="the build folder, with python/reel in it")
    parser.add_argument("--doxygen", default=shutil.which("doxygen"))
    args = parser.parse_args()
    out = args.build.resolve() / "docs"
    missing = [m for m in ("sphinx", "myst_nb", "furo", "breathe", "sphinx_copybutton") if find_spec(m) is None]
    if missing or not args.doxygen:
        print(f"SKIPPED: no {', '.join(missing or ['doxygen'])}; third_party/setup docs installs what is needed")
        return SKIPPED
    sys.path.insert(0, str(args.build.resolve() / "python"))
    from api_pages import write_api
    from sphinx.cmd.build import main as sphinx

    (out / "doxygen").mkdir(parents=True, exist_ok=True)
    run_doxygen(args.doxygen, out / "doxygen")
    stage = Stage(out / "source")
    stage_documents(stage)
    headers = sorted(h for h in (ROOT / "frontend/reel").glob("*.h") if h.name != "reel.h")
    for name, text in write_api(ROOT / "frontend/python/src", headers, out):
        stage.write("api/" + name, text)
    stage.remove_others()
    os.environ["DOCS_DOXYGEN_XML"] = str(out / "doxygen/xml")
    status = sphinx(
        ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(DOCS), "-d", str(out / "doctrees")]
        + [str(out / "source"), str(out / "html")]
    )
    if status == 0:
        print(f"the documentation: {out / 'html/index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
