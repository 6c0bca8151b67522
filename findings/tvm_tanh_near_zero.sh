#!/usr/bin/env bash
# Expected: a compiled tanh() or atanh() of a small float32 number is that number, to the last bits; so it is in
#   NumPy.
# Really: on the CPU tanh(1e-8) is exactly 0, tanh(1e-3) is wrong in the sixth digit, and atanh(1e-6) is 1.7 % too
#   small. sinh, asinh and tan of such numbers are right.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, NumPy 2.4.6, target llvm on x86-64.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import numpy as np
import tvm
from tvm import te

from check import expect


def run(function, values):
    a = te.placeholder(values.shape, name="a", dtype="float32")
    b = te.compute(values.shape, lambda i: function(a[i]), name="b")
    prim = te.create_prim_func([a, b]).with_attr("global_symbol", "f")
    library = tvm.compile(tvm.IRModule({"f": prim}), target={"kind": "llvm"})
    result = tvm.runtime.empty(values.shape, "float32")
    library["f"](tvm.runtime.tensor(values), result)
    return result.numpy()


def error(name, value):
    exact = getattr(np, {"asinh": "arcsinh", "atanh": "arctanh"}.get(name, name))(np.float64(np.float32(value)))
    return abs(run(getattr(te, name), np.array([value], "float32"))[0] / exact - 1)


print("apache-tvm", tvm.__version__)
expect("tanh(1e-8)", float(run(te.tanh, np.array([1e-8], "float32"))[0]), 0.0)
for name, value, low, high in (("tanh", 1e-3, 1e-6, 1e-4), ("tanh", 1e-4, 1e-5, 1e-3), ("atanh", 1e-6, 0.01, 0.03)):
    seen = error(name, value)
    print(f"relative error of {name}({value}): {seen:.2g}")
    expect("more than 20 units in the last place", bool(seen > 20 * 2**-24), True)
    expect("in the range seen before", bool(low < seen < high), True)
for name in ("sinh", "asinh", "tan"):
    expect(f"{name}(1e-6) is right", bool(error(name, 1e-6) < 2**-22), True)
print("as described")
PYTHON
