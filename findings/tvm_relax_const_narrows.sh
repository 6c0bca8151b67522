#!/usr/bin/env bash
# Expected: relax.const() of a NumPy array makes a constant of the array's own type, and an integer that does not fit
#   is an error.
# Really: without dtype, int64 arrays become int32 and float64 arrays become float32, silently: 2**40 + 5 becomes 5,
#   and relax.const(2**40) is 0. A Tensor of TVM's own runtime keeps its type, and so do float16 and uint64 arrays.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, NumPy 2.4.6.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import numpy as np
import tvm
from tvm import relax

from check import expect

print("apache-tvm", tvm.__version__)


def shown(value, *dtype):
    data = relax.const(value, *dtype).value.numpy()
    return f"{data.dtype} {data.tolist()}"


expect("int64 array", shown(np.array([2**40 + 5], "int64")), "int32 [5]")
expect("int 2**40", shown(2**40), "int32 0")
expect("float64 array", shown(np.array([0.1], "float64")), "float32 [0.10000000149011612]")
expect("float64 array, small number", shown(np.array([1e-50], "float64")), "float32 [0.0]")
expect("float64 array and dtype", shown(np.array([0.1]), "float64"), "float64 [0.1]")
expect("Tensor of float64", shown(tvm.runtime.tensor(np.array([0.1]))), "float64 [0.1]")
expect("uint64 array", shown(np.array([2**40], "uint64")), "uint64 [1099511627776]")
expect("float16 array", shown(np.array([1.5], "float16")), "float16 [1.5]")
print("as described")
PYTHON
