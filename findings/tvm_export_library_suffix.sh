#!/usr/bin/env bash
# Expected: export_library() chooses what it writes by the suffix of the name: "x.so" a shared library, "x.o" an object,
#   "x.a" a static library, "x.tar" a plain tar archive. load_module() opens whatever export_library() wrote.
# Really: "x.o" and "x.a" are ELF shared libraries too, and "x.tar" is compressed with gzip. load_module("x.a") is refused
#   because no loader has that name, and load_module("x.o") succeeds: it links the shared library as an object, and the
#   module that it returns has none of the exported functions.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, Linux x86-64, with g++ installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy
cat >"$folder/try.py" <<'PYTHON'
import os, sys
import tvm
from tvm import te

folder = sys.argv[1]
a = te.placeholder((8,), name="a", dtype="float32")
b = te.compute((8,), lambda i: a[i] + 1, name="b")
function = te.create_prim_func([a, b]).with_attr("global_symbol", "add_one")
library = tvm.compile(tvm.IRModule({"add_one": function}), target={"kind": "llvm"})
print("apache-tvm", tvm.__version__)
seen = {}
for suffix in ("so", "o", "a", "tar"):
    path = os.path.join(folder, "x." + suffix)
    library.export_library(path)
    head = open(path, "rb").read(20)
    if head[:4] == b"\x7fELF":
        written = {1: "ELF object", 3: "ELF shared library"}[head[16]]
    else:
        written = "gzip" if head[:2] == b"\x1f\x8b" else repr(head[:4])
    try:
        loaded = "has add_one" if tvm.runtime.load_module(path).implements_function("add_one") else "lacks add_one"
    except Exception as error:
        loaded = "refused: " + str(error).split(",")[0].split("\n")[-1]
    seen[suffix] = (written, loaded.split(":")[0])
    print(f"x.{suffix}: written as {written}; loaded: {loaded}")
expected = {
    "so": ("ELF shared library", "has add_one"),
    "o": ("ELF shared library", "lacks add_one"),
    "a": ("ELF shared library", "refused"),
    "tar": ("gzip", "has add_one"),
}
if seen != expected:
    sys.exit("the behaviour has changed")
print("as described")
PYTHON
"$folder/venv/bin/python" "$folder/try.py" "$folder"
