#!/usr/bin/env bash
# Expected: dump_tensor_cache() stores float32 weights as float32 unless a smaller encoding is asked for.
# Really: without encode_format it stores the upper half of each float32 number. The weights come back as float32, so
#   nothing but the values shows it. float16 and float64 tensors are labelled "f32-to-bf16" too but stored whole, and
#   a second index, tensor-cache-b16.json, describes the same bytes as bfloat16.
# Versions: apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.15.post2, NumPy 2.4.6, ml_dtypes 0.6.0.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.15.post2 numpy==2.4.6 ml_dtypes==0.6.0
python <<'PYTHON'
import json

import ml_dtypes
import numpy as np
import tvm
from tvm.contrib import tvmjs

from check import expect

print("apache-tvm", tvm.__version__)
weights = np.array([0.1, 1 / 3, 1 + 2**-9, 1000.25], "float32")
tvmjs.dump_tensor_cache(
    {"w": weights, "h": weights.astype("float16"), "d": weights.astype("float64")}, "cache", show_progress=False
)


def rows(name):
    with open("cache/" + name, encoding="utf-8") as file:
        tensors = json.load(file)["records"][0]["records"]
    return [(t["name"], t["dtype"], t["format"], t["nbytes"]) for t in tensors]


label = "f32-to-bf16"
expect(
    "tensor-cache.json",
    rows("tensor-cache.json"),
    [("w", "float32", label, 8), ("h", "float16", label, 8), ("d", "float64", label, 32)],
)
expect("tensor-cache-b16.json, first", rows("tensor-cache-b16.json")[0], ("w", "bfloat16", "raw", 8))
loaded, _ = tvmjs.load_tensor_cache("cache", tvm.cpu())
values = loaded["w"].numpy()
expect("type of the loaded weights", str(values.dtype), "float32")
expect("equal to the stored weights", (values == weights).tolist(), [False, False, False, False])
expect("equal to bfloat16", bool((values == weights.astype(ml_dtypes.bfloat16).astype("float32")).all()), True)
expect("float64 tensor is whole", bool((loaded["d"].numpy() == weights).all()), True)
tvmjs.dump_tensor_cache({"w": weights}, "raw", encode_format="raw", show_progress=False)
loaded, _ = tvmjs.load_tensor_cache("raw", tvm.cpu())
expect("with encode_format='raw'", bool((loaded["w"].numpy() == weights).all()), True)
print("as described")
PYTHON
