"""Every public declaration of frontend/reel/*.h says what it is, as Doxygen sees it.

A comment holds for the declarations that follow it without an empty line: `Dense`, `Dense(...)` and their kin are one thing.
Constructors, operators, what all containers have, and fields of a documented struct, whose names and defaults speak, need none.
"""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
USUAL = "begin end size iterator_category value_type difference_type pointer reference".split()  # as in the standard
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
sys.path.insert(0, str(ROOT / "frontend/docs"))

import make_site  # noqa: E402


def has_text(element, *tags):
    return any("".join(part.itertext()).strip() for tag in tags for part in element.findall(tag))


def declarations(xml):
    """(header, line, kind, owner, name, documented) of all that is public."""
    texts = ("briefdescription", "detaileddescription", "inbodydescription")
    for path in sorted(xml.glob("*.xml")):
        for compound in ElementTree.parse(path).getroot().findall("compounddef"):
            kind, owner = compound.get("kind"), compound.findtext("compoundname")
            if kind not in ("class", "struct", "namespace") or compound.get("prot", "public") != "public":
                continue
            if kind != "namespace":
                place = compound.find("location")
                scope, _, name = owner.rpartition("::")
                yield place.get("file"), int(place.get("line")), kind, scope, name, has_text(compound, *texts)
            for member in compound.iter("memberdef"):
                if member.get("prot") == "public" and member.get("kind") != "friend":
                    place, name = member.find("location"), member.findtext("name")
                    documented = has_text(member, *texts)
                    yield place.get("file"), int(place.get("line")), member.get("kind"), owner, name, documented


def needs_none(kind, owner, name):
    own = owner.rpartition("::")[2].partition("<")[0]
    return name == own or name.startswith(("operator", "~")) or name in USUAL


def grouped(lines, line):
    """True if a comment stands above, or in the line of, a declaration of the same group."""
    for above in reversed(lines[: line - 1]):
        if not above.strip() or above.strip().endswith("public:"):
            return False
        if "///" in above:
            return True
    return False


def undocumented(xml, headers):
    seen = sorted(set(declarations(xml)))
    structs = {f"{owner}::{name}" for _, _, kind, owner, name, documented in seen if kind == "struct" and documented}
    structs |= {
        f"{owner}::{name}"
        for file, line, kind, owner, name, _ in seen
        if kind == "struct" and grouped((headers / os.path.basename(file)).read_text().split("\n"), line)
    }
    for file, line, kind, owner, name, documented in seen:
        header = os.path.basename(file)
        if documented or needs_none(kind, owner, name) or (kind == "variable" and owner in structs):
            continue
        if not grouped((headers / header).read_text(encoding="utf-8").split("\n"), line):
            yield f"{header}:{line}: {kind} {owner}::{name}"


class Headers(unittest.TestCase):
    maxDiff = None

    def test_all_declarations(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            make_site.run_doxygen(shutil.which("doxygen"), out)
            self.assertGreater(len(set(declarations(out / "xml"))), 800)
            self.assertEqual(list(undocumented(out / "xml", ROOT / "frontend/reel")), [])


if __name__ == "__main__":
    if not shutil.which("doxygen"):
        print("SKIPPED: no doxygen; third_party/setup docs installs it")
        sys.exit(SKIPPED)
    unittest.main()
