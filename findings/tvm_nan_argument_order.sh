#!/usr/bin/env bash
# Expected: relu, clip, maximum and max of Relax treat NaN as NumPy and PyTorch do: NaN in, NaN out.
# Really: on the CPU relu(NaN) is 0 and clip(NaN, 0, 6) is 6. maximum(NaN, 0) is 0 but maximum(0, NaN) is NaN, and
#   max() of a tensor drops a NaN at its start and keeps one at its end: the order of the arguments decides.
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
    variables = [relax.Var(f"x{i}", relax.TensorType(a.shape, "float32")) for i, a in enumerate(arrays)]
    builder = relax.BlockBuilder()
    with builder.function("main", variables):
        with builder.dataflow():
            result = builder.emit_output(operator(*variables))
        builder.emit_func_output(result)
    library = tvm.compile(builder.finalize(), target=tvm.target.Target({"kind": "llvm"}))
    machine = relax.VirtualMachine(library, tvm.cpu())
    return str(machine["main"](*[tvm.runtime.tensor(a) for a in arrays]).numpy().tolist())


values, zeros = np.array([np.nan, 1, -1], "float32"), np.zeros(3, "float32")
expect("relu([nan, 1, -1])", run(relax.op.nn.relu, values), "[0.0, 1.0, 0.0]")
expect("clip([nan, 1, -1], 0, 6)", run(lambda x: relax.op.clip(x, 0, 6), values), "[6.0, 1.0, 0.0]")
expect("maximum([nan, 1, -1], 0)", run(relax.op.maximum, values, zeros), "[0.0, 1.0, 0.0]")
expect("maximum(0, [nan, 1, -1])", run(relax.op.maximum, zeros, values), "[nan, 1.0, 0.0]")
expect("max([nan, 1, -1])", run(relax.op.max, values), "1.0")
expect("max([-1, 1, nan])", run(relax.op.max, values[::-1].copy()), "nan")
expect("NumPy: maximum and max", str((np.maximum(values, 0).tolist(), float(np.max(values)))), "([nan, 1.0, 0.0], nan)")
print("as described")
PYTHON
