"""Sphinx's configuration; make_site.py writes the source that it reads."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from docstrings import to_rst
from docutils import nodes
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text, Whitespace

project = "Reel"
author = "the authors of Reel"
copyright = author  # noqa: A001
html_title = "Reel"
root_doc = "index"
extensions = ["myst_nb", "sphinx.ext.autodoc", "breathe", "sphinx_copybutton"]
html_theme = "furo"
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "site.css")]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0f6e84", "color-brand-content": "#0f6e84"},
    "dark_css_variables": {"color-brand-primary": "#5cc3d8", "color-brand-content": "#5cc3d8"},
}
highlight_language = "text"
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_show_sourcelink = False
html_copy_source = False

suppress_warnings = [
    "misc.highlighting_failure",  # ir/FORMAT.md's grammar has more than Pygments' EBNF
    "duplicate_declaration.cpp",  # each header's page has namespace reel
    "ref.python",  # Tensor in a signature: reel and reel.tf have one each
]

myst_heading_anchors = 6
myst_url_schemes = ["http", "https", "mailto", "source"]  # source: see plain_sources
myst_enable_extensions = ["dollarmath"]
nb_execution_mode = "off"  # notebooks keep the results that they were saved with; a test of their own runs them

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
maximum_signature_line_length = 88
add_module_names = False

breathe_projects = {"reel": os.environ.get("DOCS_DOXYGEN_XML", "")}
breathe_default_project = "reel"
breathe_show_include = False
breathe_show_define_initializer = True
cpp_index_common_prefix = ["reel::"]


class ReelLexer(RegexLexer):
    """Reel's text form, .reel.txt (ir/FORMAT.md)."""

    name, aliases = "reel", ["reel"]
    tokens = {
        "root": [
            (r"//.*", Comment),
            (r'"(\\.|[^"\\])*"', String),
            (r"\b(reel|module|meta|symbol|variable|frozen|func|state|return|init|in|loc|true|false)\b", Keyword),
            (r"[%@][\w./]+", Name.Variable),
            (r"\b(bool|bf16|[iucf]\d+)(?=\[)", Keyword.Type),
            (r"-?\b\d[\w.+]*|-?\binf\b|\bnan\b", Number),
            (r"[A-Za-z_][\w.]*", Name.Function),
            (r"[-=:{}()\[\],>]+", Operator),
            (r"\s+", Whitespace),
            (r".", Text),
        ]
    }


def plain_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text (docstrings.py)."""
    lines[:] = to_rst(lines)


def plain_sources(app, tree, *more):
    """Links to files of the repository that are no pages become their text."""
    for node in list(tree.findall(nodes.reference)):
        if node.get("refuri", "").startswith("source:"):
            node.replace_self(node.children)


def own_names(app, what, name, obj, options, signature, returns):
    """Types of signatures by their public names, so that they become links."""
    module = "reel.tf" if name.startswith("reel.tf") else "reel"
    public = "|".join(sorted(n for n, v in vars(sys.modules[module]).items() if isinstance(v, type)))

    def clean(text):
        text = re.sub(r"\breel\.(?:_core|tf\._\w+)\.", "", text or "")
        return re.sub(rf"(?<![\w.'\"])({public})(?![\w.='\"])(?=[^:]|$)", rf"{module}.\1", text) or None

    return clean(signature), clean(returns)


def setup(app):
    app.add_lexer("reel", ReelLexer)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("autodoc-process-signature", own_names)
    app.connect("doctree-read", plain_sources)
