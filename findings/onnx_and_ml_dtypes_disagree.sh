#!/usr/bin/env bash
# Expected: a number has one nearest value in a small type: the tensor helpers of ONNX and ml_dtypes convert 1000 to
#   float8 alike, and zero is zero in every type.
# Really: ONNX saturates float8 (1000 becomes 448, infinity too), ml_dtypes gives NaN for float8_e4m3fn and infinity
#   for float8_e5m2. float8_e8m0fnu has no zero: np.zeros() of it is 2**-127, ONNX converts 0 to 2**-127 as well, and
#   ml_dtypes converts 0 to NaN. In both, 3 becomes 4. In the same helper, int4 wraps around: 9 becomes -7.
# Versions: onnx 1.23.2, ml_dtypes 0.6.0, NumPy 2.4.6.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
install onnx==1.23.2 ml_dtypes==0.6.0 numpy==2.4.6
python <<'PYTHON'
import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from check import expect

print("onnx", onnx.__version__, "ml_dtypes", ml_dtypes.__version__)
infinity = float("inf")


def with_onnx(data_type, values):
    tensor = helper.make_tensor("t", data_type, [len(values)], values)
    return str(numpy_helper.to_array(tensor).astype("float32").tolist())


def with_ml_dtypes(dtype, values):
    with np.errstate(all="ignore"):
        return str(np.array(values, "float32").astype(dtype).astype("float32").tolist())


large = [1000.0, infinity, -1000.0]
expect("float8_e4m3fn, ONNX", with_onnx(TensorProto.FLOAT8E4M3FN, large), "[448.0, 448.0, -448.0]")
expect("float8_e4m3fn, ml_dtypes", with_ml_dtypes("float8_e4m3fn", large), "[nan, nan, nan]")
large = [1e6, infinity, -1e6]
expect("float8_e5m2, ONNX", with_onnx(TensorProto.FLOAT8E5M2, large), "[57344.0, 57344.0, -57344.0]")
expect("float8_e5m2, ml_dtypes", with_ml_dtypes("float8_e5m2", large), "[inf, inf, -inf]")
smallest = str(float(np.float32(2.0**-127)))
expect("zeros of float8_e8m0fnu", str(float(np.zeros(1, "float8_e8m0fnu").astype("float32")[0])), smallest)
expect("0 to float8_e8m0fnu, ONNX", with_onnx(TensorProto.FLOAT8E8M0, [0.0]), f"[{smallest}]")
expect("0 and 3 to float8_e8m0fnu, ml_dtypes", with_ml_dtypes("float8_e8m0fnu", [0, 3]), "[nan, 4.0]")
expect("3 to float8_e8m0fnu, ONNX", with_onnx(TensorProto.FLOAT8E8M0, [3.0]), "[4.0]")
expect("9 to int4, ONNX", with_onnx(TensorProto.INT4, [9]), "[-7.0]")
print("as described")
PYTHON
