#!/usr/bin/env bash
# Expected: safetensors.numpy.save() stores the values of a NumPy array as NumPy shows them, also for a transposed
#   array or one with a step, or refuses arrays that are not contiguous as safetensors.torch does.
# Really: it stores the memory below the array: the first bytes of a slice with a step, and a transposed array in the
#   order of the original. Shape and type in the header are those of the view, so the file loads without complaint,
#   with the wrong values. Big-endian arrays are converted correctly.
# Versions: safetensors 0.8.0, NumPy 2.4.6.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install safetensors==0.8.0 numpy==2.4.6
python <<'PYTHON'
import numpy as np
import safetensors
from safetensors.numpy import load, save

from check import expect

print("safetensors", safetensors.__version__, "NumPy", np.__version__)
numbers = np.arange(6, dtype="float32")
transposed = numbers.reshape(2, 3).T


def round_trip(array):
    return load(save({"t": array}))["t"].tolist()


expect("every second number", numbers[::2].tolist(), [0.0, 2.0, 4.0])
expect("every second number, loaded", round_trip(numbers[::2]), [0.0, 1.0, 2.0])
expect("transposed", transposed.tolist(), [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]])
expect("transposed, loaded", round_trip(transposed), [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
expect("contiguous copy, loaded", round_trip(np.ascontiguousarray(transposed)), transposed.tolist())
expect("big-endian, loaded", round_trip(numbers.astype(">f4")), numbers.tolist())
print("as described")
PYTHON
