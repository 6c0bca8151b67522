#!/usr/bin/env bash
# Expected: implements_function() answers whether a loaded module has a function that can be called, and the format
#   list of a module names the formats that write_to_file() can write.
# Really: a module that is loaded from LLVM IR ("x.ll", written by the same module) answers no, and calling the
#   function works. The entry "main" is missing until the module is linked: the exported library has it. The list of
#   formats is empty, yet "ll", "bc", "asm" and "o" can be written; of these only "x.ll" and "x.o" can be loaded.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, target llvm, with g++ installed.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
need g++
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import numpy as np
import tvm
from tvm import te

from check import attempt, expect

print("apache-tvm", tvm.__version__)
a = te.placeholder((2,), name="a", dtype="float32")
b = te.compute((2,), lambda i: a[i] + 1, name="b")
prim = te.create_prim_func([a, b]).with_attr("global_symbol", "f")
library = tvm.compile(tvm.IRModule({"f": prim}), target={"kind": "llvm"})


def result(module):
    out = tvm.runtime.empty((2,), "float32")
    module["f"](tvm.runtime.tensor(np.zeros(2, "float32")), out)
    return out.numpy().tolist()


expect("formats listed", list(library.mod.get_write_formats()), [])
for suffix in ("ll", "bc", "asm", "o"):
    library.mod.write_to_file("x." + suffix, suffix)
loaded = tvm.runtime.load_module("x.ll")
expect("x.ll, implements_function('f')", loaded.implements_function("f"), False)
expect("x.ll, result of f", result(loaded), [1.0, 1.0])
for suffix in ("bc", "asm"):
    text = attempt(lambda suffix=suffix: tvm.runtime.load_module("x." + suffix))
    expect(f"x.{suffix} is refused", str(text).startswith("refused"), True)
expect("x.o, implements_function('f')", tvm.runtime.load_module("x.o").implements_function("f"), True)
library.export_library("x.so")
expect("before linking, 'main'", library.mod.implements_function("main"), False)
expect("after linking, 'main'", tvm.runtime.load_module("x.so").implements_function("main"), True)
print("as described")
PYTHON
