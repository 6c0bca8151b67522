#!/usr/bin/env python3
"""Prints the names of all tests as an outline: a line for each file, class and test function.

    list_tests.py [NAME]

With NAME, prints only the files and classes whose names contain it. The names are read from the sources, so nothing is
built.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLASS = re.compile(r"^class (Test\w+)[^{;]*\{(.*?)^\};", re.MULTILINE | re.DOTALL)
SLOTS = re.compile(r"private Q_SLOTS:(.*?)(?=^(?:private|public|protected)\b|\Z)", re.MULTILINE | re.DOTALL)
FUNCTION = re.compile(r"^\s*void (\w+)\(\)", re.MULTILINE)
# Called by Qt Test around the test functions.
AROUND = {"initTestCase", "cleanupTestCase", "init", "cleanup"}


def words(name):
    """Returns "a file that ends early" for `aFileThatEndsEarly`; abbreviations are unchanged."""
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z]|$|\d)|[A-Z]?[a-z]+|[A-Z]+|\d+", name)
    return " ".join(part if len(part) > 1 and part.isupper() else part.lower() for part in parts)


def outline(path):
    """Yields the classes of a file in order: (name, names of its test functions)."""
    for match in CLASS.finditer(path.read_text(encoding="utf-8")):
        names = []
        for slots in SLOTS.finditer(match[2]):
            names += [name for name in FUNCTION.findall(slots[1]) if name not in AROUND and not name.endswith("_data")]
        if names:
            yield match[1], names


def main():
    wanted = sys.argv[1].lower() if len(sys.argv) > 1 else ""
    classes = functions = 0
    for path in sorted((ROOT / "tests").rglob("*.cpp")):
        found = [row for row in outline(path) if wanted in f"{path} {row[0]}".lower()]
        if not found:
            continue
        print(path.relative_to(ROOT))
        for name, names in found:
            classes += 1
            functions += len(names)
            print(f"  {words(name.removeprefix('Test'))}")
            for function in names:
                print(f"    {words(function)}")
    print(f"{classes} classes, {functions} test functions")
    return 0 if functions else 1


sys.exit(main())
