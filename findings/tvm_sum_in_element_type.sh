#!/usr/bin/env bash
# Expected: sum and matmul of Relax use a wider accumulator for small types, as NumPy's sum and every BLAS do; or the
#   compiler asks for the type of the result.
# Really: on the CPU everything is added up in the type of the elements. The sum of 100 int8 values of 100 is 16, the
#   sum of 4096 float16 ones is 2048 (adding 1 to 2048 changes nothing), and matmul of int8 wraps around too. The sum
#   of three true values is true. mod() of negative numbers follows C although floor_divide() follows Python.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, NumPy 2.4.6, target llvm on x86-64.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import numpy as np
import tvm
from tvm import relax

from check import expect

print("apache-tvm", tvm.__version__)


def run(operator, *arrays):
    variables = [relax.Var(f"x{i}", relax.TensorType(a.shape, str(a.dtype))) for i, a in enumerate(arrays)]
    builder = relax.BlockBuilder()
    with builder.function("main", variables):
        with builder.dataflow():
            result = builder.emit_output(operator(*variables))
        builder.emit_func_output(result)
    library = tvm.compile(builder.finalize(), target=tvm.target.Target({"kind": "llvm"}))
    machine = relax.VirtualMachine(library, tvm.cpu())
    return machine["main"](*[tvm.runtime.tensor(a) for a in arrays]).numpy().tolist()


bytes_, halves = np.full(100, 100, "int8"), np.ones(4096, "float16")
expect("sum of int8", run(relax.op.sum, bytes_), 16)
expect("sum of int8, NumPy", int(bytes_.sum()), 10000)
expect("sum of float16", run(relax.op.sum, halves), 2048.0)
expect("sum of float16, NumPy", float(halves.sum()), 4096.0)
expect("sum of bool", run(relax.op.sum, np.ones(3, "bool")), True)
expect("matmul of int8", run(relax.op.matmul, np.full((1, 4), 100, "int8"), np.full((4, 1), 100, "int8")), [[64]])
sevens, twos = np.array([-7, 7], "int32"), np.array([2, 2], "int32")
expect("floor_divide([-7, 7], 2)", run(relax.op.floor_divide, sevens, twos), [-4, 3])
expect("mod([-7, 7], 2)", run(relax.op.mod, sevens, twos), [-1, 1])
print("as described")
PYTHON
