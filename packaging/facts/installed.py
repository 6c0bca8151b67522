#!/usr/bin/env python3
"""Prints what an installed runtime of TVM registers, as a check of the tables: names, and signatures of functions.

    ENVIRONMENT/bin/python installed.py [--signatures]

Run it with the Python of an environment that has apache-tvm (0.25 or later) or apache-tvm-tirx, and apache-tvm-ffi.
Python's part of TVM is not imported: only libtvm_ffi, libtvm_runtime and libtvm_runtime_extra are loaded. Without
--signatures, it prints the library and the name of each function, one per line. With it, it prints the name and the
signature of each function that compares the number of its arguments before it runs: it calls those functions with more
arguments than any of them has, so that none of them runs.
"""
import argparse
import ctypes
import re
from pathlib import Path

import tvm_ffi
from tvm_ffi.registry import get_global_func, list_global_func_names

from tables import Table

MISMATCH = re.compile(r"Mismatched number of arguments when calling: `(.*?)`\. Expected \d+ but got", re.DOTALL)


def load():
    """The library of each name."""
    site = Path(tvm_ffi.__file__).parent.parent
    owner = dict.fromkeys(list_global_func_names(), "libtvm_ffi")
    for library in ("libtvm_runtime", "libtvm_runtime_extra"):
        for path in sorted(site.glob(f"tvm*/lib/{library}.so")):
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)
            for name in list_global_func_names():
                owner.setdefault(name, library)
    return owner


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signatures", action="store_true")
    options = parser.parse_args()
    owner = load()
    if not options.signatures:
        for name, library in sorted(owner.items()):
            print(library, name)
        return
    # Functions that do not compare the number would run, so only those are called that do according to the table.
    typed = {name for name, records in Table("arguments").content["functions"].items()
             if all(record["by"] == "signature" and "python" not in record for record in records)}
    for name in sorted(typed & owner.keys()):
        try:
            get_global_func(name)(*[None] * 40)
        except TypeError as error:
            found = MISMATCH.search(str(error))
            if found:
                print(name, found[1].removeprefix(name), sep="\t")


if __name__ == "__main__":
    main()
