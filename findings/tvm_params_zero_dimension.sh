#!/usr/bin/env bash
# Expected: load_param_dict() reads whatever save_param_dict() wrote; a tensor without elements is an ordinary case.
# Really: tensors of the shapes (0,) and (0, 2) come back, those of (2, 0), (1, 0) and (2, 0, 3) are written and then
#   refused with "Invalid DLTensor file format", and with them every other tensor of the file.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, NumPy 2.4.6.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import numpy as np
import tvm

from check import attempt, expect

print("apache-tvm", tvm.__version__)


def round_trip(*shapes):
    tensors = {f"t{i}": tvm.runtime.tensor(np.zeros(shape, "float32")) for i, shape in enumerate(shapes)}
    data = tvm.runtime.save_param_dict(tensors)
    loaded = attempt(lambda: [tuple(t.shape) for t in tvm.runtime.load_param_dict(data).values()])
    return loaded if isinstance(loaded, list) else loaded.split(": ")[-1]


for shapes in ([(0,)], [(0, 2)], [(3,), (0, 2)]):
    expect(f"shapes {shapes}", round_trip(*shapes), shapes)
for shapes in ([(2, 0)], [(1, 0)], [(2, 0, 3)], [(3,), (2, 0)]):
    expect(f"shapes {shapes}", round_trip(*shapes), "Invalid DLTensor file format")
print("as described")
PYTHON
