#!/usr/bin/env bash
# Expected: a cast from float32 to float8_e4m3fn in a compiled function saturates (448) or gives NaN when the number
#   is too large, as ml_dtypes does; infinity stays infinity where the type has one, and NaN stays NaN.
# Really: on the CPU the bits of the exponent that do not fit are lost. 1000 becomes -0.015625, infinity becomes 1 and
#   NaN becomes 1.5 in float8_e4m3fn; in float8_e5m2, which has both, infinity becomes 1 and NaN becomes 1.5 too.
#   float8_e8m0fnu loses the sign: -1000 becomes 1024. float16 and bfloat16 are right.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, ml_dtypes 0.6.0, target llvm on x86-64.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import ml_dtypes
import numpy as np
import tvm
from tvm import te

from check import expect

print("apache-tvm", tvm.__version__, "ml_dtypes", ml_dtypes.__version__)
values = np.array([1000, 448, float("inf"), float("nan"), -1000], "float32")


def cast(dtype):
    a = te.placeholder(values.shape, name="a", dtype="float32")
    b = te.compute(values.shape, lambda i: a[i].astype(dtype), name="b")
    prim = te.create_prim_func([a, b]).with_attr("global_symbol", "f")
    library = tvm.compile(tvm.IRModule({"f": prim}), target={"kind": "llvm"})
    result = tvm.runtime.empty(values.shape, dtype)
    library["f"](tvm.runtime.tensor(values), result)
    return str(result.numpy().astype("float32").tolist())


def reference(dtype):
    with np.errstate(over="ignore"):
        return str(values.astype(dtype).astype("float32").tolist())


print("values:", values.tolist())
expect("float8_e4m3fn", cast("float8_e4m3fn"), "[-0.015625, 448.0, 1.0, 1.5, -0.015625]")
expect("float8_e4m3fn, ml_dtypes", reference("float8_e4m3fn"), "[nan, 448.0, nan, nan, nan]")
expect("float8_e5m2", cast("float8_e5m2"), "[1024.0, 448.0, 1.0, 1.5, -1024.0]")
expect("float8_e5m2, ml_dtypes", reference("float8_e5m2"), "[1024.0, 448.0, inf, nan, -1024.0]")
expect("float8_e8m0fnu, last value", cast("float8_e8m0fnu").split()[-1], "1024.0]")
expect("float8_e8m0fnu, last value, ml_dtypes", reference("float8_e8m0fnu").split()[-1], "nan]")
for dtype in ("float16", "bfloat16"):
    expect(dtype + " as in ml_dtypes", cast(dtype) == reference(dtype), True)
print("as described")
PYTHON
