#!/usr/bin/env python3
"""Writes the licences of the libraries inside the programs.

    third_party.py BUILD [--shared ROOT FILE ...] [--licence NAME FILE] >third-party-notices.txt

BUILD is a build folder whose programs were linked with -Wl,-Map=%: the maps say which static libraries they contain.
--shared adds shared libraries that are shipped beside the programs and come from the packages of the system in ROOT.
--licence adds a text under a name. The texts are the copyright files of the Debian packages.
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

# Libraries that are only headers leave no trace in a map, so the compiler's list of headers is asked.
# Its paths may be relative.
HEADER_ONLY = {"usr/include/CLI/": "/usr/include/CLI/CLI.hpp", "usr/include/nlohmann/": "/usr/include/nlohmann/json.hpp"}


def linked_archives(build):
    archives = set()
    maps = sorted(build.glob("app/**/*.map"))
    if len(maps) < 2:
        sys.exit(f"third_party.py: {build}/app has {len(maps)} linker maps; link the programs with -Wl,-Map=%")
    for path in maps:
        text = path.read_text(errors="replace")
        # The list of the archive members that were needed is at the beginning.
        for line in text.split("\nDiscarded input sections", 1)[0].splitlines():
            if match := re.match(r"(/\S+\.a)\(", line):
                archives.add(os.path.realpath(match[1]))
    return {path for path in archives if not path.startswith(str(build.resolve()) + "/")}


def used_headers(build):
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    return {header for folder, header in HEADER_ONLY.items() if folder in deps}


def owner(path, root):
    """The package with this file, and its version."""
    database = ["--admindir", f"{root}/var/lib/dpkg"]
    # Packages name files by their path before the folders of / moved into /usr.
    for name in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", *database, "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            version = subprocess.run(["dpkg-query", *database, "-W", "-f", "${Version}", package],
                                     capture_output=True, text=True, check=True).stdout
            return package.split(":")[0], version
    sys.exit(f"third_party.py: no package has {path}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("--shared", nargs="+", default=[])
    parser.add_argument("--licence", nargs=2, action="append", default=[])
    options = parser.parse_args()
    root = options.shared[0].rstrip("/") if options.shared else None
    files = [(path, "") for path in linked_archives(options.build) | used_headers(options.build)]
    files += [(path, root) for path in options.shared[1:]]
    # The programs may have been linked with libraries of ROOT.
    files = [(path[len(root):], root) if root and path.startswith(root + "/") else (path, of) for path, of in files]

    parts = {}
    for path, root in files:
        package, version = owner(path, root)
        key = (package, version)
        text = Path(f"{root}/usr/share/doc/{package}/copyright").read_text(errors="replace")
        parts.setdefault(key, (text, []))[1].append(Path(path).name)
    print("Blobscope contains the following libraries. Each part names the Debian package that a library comes from,")
    print("and repeats its copyright file.")
    texts = {}  # packages of one source often have the same text
    for (package, version), (text, names) in sorted(parts.items()):
        texts.setdefault(text, []).append(f"{package} {version}: {', '.join(sorted(names))}")
    for name, path in options.licence:
        texts.setdefault(Path(path).read_text(errors="replace"), []).append(name)
    for text, titles in texts.items():
        print("\n" + "=" * 100 + "\n" + "\n".join(titles) + "\n" + "=" * 100 + "\n")
        print(text.rstrip())


main()
