#!/usr/bin/env python3
"""Compares ffi.json with packages of apache-tvm-ffi, or updates it: exported functions, C++ functions that went, and
the functions that libtvm_ffi registers.

    python3 ffi_releases.py FOLDER [--write]

FOLDER has the wheels, for this Python and this machine, of all releases in ffi.json:

    pip download --no-deps --only-binary :all: -d FOLDER apache-tvm-ffi==0.1.5

Nothing of the packages is installed. The registered functions are listed by a Python that finds the unpacked package
first; it needs typing_extensions. nm must be installed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tables import Table

LIST = "import json; from tvm_ffi.registry import list_global_func_names as names; print(json.dumps(list(names())))"


def read(wheel, folder):
    """Exported C functions, exported C++ symbols that are not weak, and registered functions of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    library = next(Path(folder).glob("tvm_ffi/lib/libtvm_ffi.so"))
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    symbols = [line.split()[-2:] for line in lines.stdout.splitlines()]
    listed = subprocess.run([sys.executable, "-c", LIST], env={**os.environ, "PYTHONPATH": folder},
                            capture_output=True, text=True, check=True)
    names = json.loads(listed.stdout.splitlines()[-1])
    return ({name for _, name in symbols if name.startswith("TVMFFI")},
            {name for kind, name in symbols if "3tvm" in name and kind in "TDBR"},
            {name for name in names if not name.startswith("testing.")})


def ranges(releases, sets):
    """{"0.1.5..": ["a"]}: per range of releases the names that exactly these have. An open range goes on."""
    out = {}
    for name in sorted(set().union(*sets)):
        where = [i for i, names in enumerate(sets) if name in names]
        if where != list(range(where[0], where[-1] + 1)):
            sys.exit(f"{name} is missing between two releases that have it")
        last = "" if where[-1] == len(releases) - 1 else releases[where[-1]]
        out.setdefault(f"{releases[where[0]]}..{last}", []).append(name)
    order = {f"{release}..": i for i, release in enumerate(releases)}
    return dict(sorted(out.items(), key=lambda item: order[item[0].split("..")[0] + ".."]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    table = Table("ffi")
    releases = table.content["releases"]
    found = []
    for release in releases:
        wheels = sorted(options.folder.glob(f"apache_tvm_ffi-{release}-*.whl"))
        if not wheels:
            sys.exit(f"no wheel of {release} is in the folder")
        with tempfile.TemporaryDirectory() as folder:
            found.append(read(wheels[0], folder))
    exports = ranges(releases, [one[0] for one in found])
    cxx = ranges(releases, [one[1] for one in found])
    content = {
        "exports": exports,
        "gone": {name: key.split("..")[1] for key, names in cxx.items() if not key.endswith("..") for name in names},
        "registered": ranges(releases, [one[2] for one in found]),
    }
    for key, value in content.items():
        if table.content.get(key) != value:
            print(f"{key}: {json.dumps(value, indent=1)}")
        if options.write:
            table.content[key] = value
    if options.write:
        table.save()


if __name__ == "__main__":
    main()
