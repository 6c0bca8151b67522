#!/usr/bin/env bash
# Expected: what safetensors.numpy.save() writes, safetensors.numpy.load() reads, in particular with ml_dtypes
#   imported.
# Really: bfloat16 and the float8 types of ml_dtypes are written with the right labels (BF16, F8_E4M3, F8_E5M2,
#   F8_E8M0), and load() of the same bytes ends with KeyError, for the other tensors of the file too. The order in the
#   file is by size of the element, largest first, then by name; the order of the dictionary is lost.
# Versions: safetensors 0.8.0, NumPy 2.4.6, ml_dtypes 0.6.0.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install safetensors==0.8.0 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import json
import struct

import ml_dtypes
import numpy as np
import safetensors
from safetensors.numpy import load, save

from check import attempt, expect

print("safetensors", safetensors.__version__, "ml_dtypes", ml_dtypes.__version__)


def header(data):
    (size,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + size])


labels = {"bfloat16": "BF16", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0"}
for dtype, label in labels.items():
    data = save({"t": np.ones(4, dtype), "other": np.ones(4, "float32")})
    expect(f"{dtype}, label in the file", header(data)["t"]["dtype"], label)
    expect(f"{dtype}, loaded", attempt(lambda data=data: load(data)), f"refused: '{label}'")
data = save({"z": np.ones(2, "float16"), "a": np.ones(2, "int8"), "m": np.ones(2, "float64"), "c": np.ones(2, "int64")})
places = {name: entry["data_offsets"][0] for name, entry in header(data).items()}
expect("order of float16 z, int8 a, float64 m, int64 c", sorted(places, key=places.get), ["c", "m", "z", "a"])
print("as described")
PYTHON
