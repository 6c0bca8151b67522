#!/usr/bin/env python3
"""Writes sample-mlf.tar: a small Model Library Format archive, version 7, graph executor, C sources.

    python3 mlf_builder.py [OUT.tar]

Needs nothing but Python's standard library; TVM takes no part. The same script gives the same bytes every time.
The model: convolution 3x3 with relu, max pooling 2x2, dense layer, softmax, on one picture of 3x8x8.
"""
import calendar
import hashlib
import io
import json
import math
import random
import struct
import sys
import tarfile
import time
from pathlib import Path

MODEL = "tinynet"
TARGET = "c -keys=cpu"
STAMP = "2026-01-01 12:00:00"  # no real build time, so that the bytes do not change
CPU = 1  # DLPack device type
FLOAT32 = struct.pack("<BBH", 2, 32, 1)  # DLPack type code, bits, lanes


def random_floats(seed: int, count: int, scale: float) -> list[float]:
    """Numbers between -scale and scale that are the same on every machine and Python version."""
    source = random.Random(seed)
    return [(2 * source.random() - 1) * scale for _ in range(count)]


def size_of(shape) -> int:
    return 4 * math.prod(shape)


# --- the model -------------------------------------------------------------------------------------------------------

INPUTS = {"image": (1, 3, 8, 8)}
PARAMS = {"p0": ((4, 3, 3, 3), 0.4), "p1": ((5, 64), 0.3), "p2": ((5,), 0.5)}  # name -> shape, scale

CONV, POOL, DENSE, SOFTMAX = (f"tvmgen_{MODEL}_fused_{name}" for name in
                              ("nn_conv2d_nn_relu", "nn_max_pool2d", "nn_batch_flatten_nn_dense_add", "nn_softmax"))
PADDED = 3 * 10 * 10 * 4  # bytes of the picture with its border of zeros
WORKSPACE = {CONV: PADDED, POOL: 0, DENSE: 0, SOFTMAX: 0}

# One line per node: name, names of its inputs, shape of its output, storage, attributes that only tell the layout.
# The softmax writes into storage 3: what the pooling left there has been read by then.
NODES = [
    ("image", None, INPUTS["image"], 0, {}),
    ("p0", None, PARAMS["p0"][0], 1, {}),
    (CONV, ["image", "p0"], (1, 4, 8, 8), 2, {"data_layout": "NCHW", "kernel_layout": "OIHW", "out_layout": "NCHW"}),
    (POOL, [CONV], (1, 4, 4, 4), 3, {"layout": "NCHW", "out_layout": "NCHW"}),
    ("p1", None, PARAMS["p1"][0], 4, {}),
    ("p2", None, PARAMS["p2"][0], 5, {}),
    (DENSE, [POOL, "p1", "p2"], (1, 5), 6, {}),
    (SOFTMAX, [DENSE], (1, 5), 3, {}),
]
OUTPUTS = {"output": (1, 5)}

RELAY = """\
def @main(%image: Tensor[(1, 3, 8, 8), float32], %filters: Tensor[(4, 3, 3, 3), float32], \
%weight: Tensor[(5, 64), float32], %bias: Tensor[(5), float32]) {
  %0 = nn.conv2d(%image, %filters, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]);
  %1 = nn.relu(%0);
  %2 = nn.max_pool2d(%1, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0]);
  %3 = nn.batch_flatten(%2);
  %4 = nn.dense(%3, %weight, units=5);
  %5 = add(%4, %bias);
  nn.softmax(%5)
}
"""

# --- the C sources ---------------------------------------------------------------------------------------------------

ARGUMENTS = ("(void* args, int32_t* arg_type_ids, int32_t num_args, "
             "void* out_ret_value, int32_t* out_ret_tcode, void* resource_handle)")

BODIES = {
    CONV: f"""\
  const float* image = tensor(args, 0);
  const float* filters = tensor(args, 1);
  float* out = tensor(args, 2);
  float* padded = (float*)TVMBackendAllocWorkspace({CPU}, 0, (uint64_t){PADDED}, 2, 32);
  if (padded == NULL) {{
    return -1;
  }}
  for (int32_t c = 0; c < 3; ++c) {{
    for (int32_t y = 0; y < 10; ++y) {{
      for (int32_t x = 0; x < 10; ++x) {{
        const int32_t inside = y >= 1 && y <= 8 && x >= 1 && x <= 8;
        padded[(c * 10 + y) * 10 + x] = inside ? image[(c * 8 + y - 1) * 8 + x - 1] : 0.0f;
      }}
    }}
  }}
  for (int32_t f = 0; f < 4; ++f) {{
    for (int32_t y = 0; y < 8; ++y) {{
      for (int32_t x = 0; x < 8; ++x) {{
        float sum = 0.0f;
        for (int32_t c = 0; c < 3; ++c) {{
          for (int32_t k = 0; k < 9; ++k) {{
            sum += padded[(c * 10 + y + k / 3) * 10 + x + k % 3] * filters[(f * 3 + c) * 9 + k];
          }}
        }}
        out[(f * 8 + y) * 8 + x] = sum > 0.0f ? sum : 0.0f;
      }}
    }}
  }}
  return TVMBackendFreeWorkspace({CPU}, 0, padded) == 0 ? 0 : -1;
""",
    POOL: """\
  const float* in = tensor(args, 0);
  float* out = tensor(args, 1);
  for (int32_t c = 0; c < 4; ++c) {
    for (int32_t y = 0; y < 4; ++y) {
      for (int32_t x = 0; x < 4; ++x) {
        const float* corner = in + (c * 8 + 2 * y) * 8 + 2 * x;
        out[(c * 4 + y) * 4 + x] = fmaxf(fmaxf(corner[0], corner[1]), fmaxf(corner[8], corner[9]));
      }
    }
  }
  return 0;
""",
    DENSE: """\
  const float* in = tensor(args, 0);
  const float* weight = tensor(args, 1);
  const float* bias = tensor(args, 2);
  float* out = tensor(args, 3);
  for (int32_t row = 0; row < 5; ++row) {
    float sum = 0.0f;
    for (int32_t k = 0; k < 64; ++k) {
      sum += in[k] * weight[row * 64 + k];
    }
    out[row] = sum + bias[row];
  }
  return 0;
""",
    SOFTMAX: """\
  const float* in = tensor(args, 0);
  float* out = tensor(args, 1);
  float largest = in[0];
  for (int32_t i = 1; i < 5; ++i) {
    largest = fmaxf(largest, in[i]);
  }
  float sum = 0.0f;
  for (int32_t i = 0; i < 5; ++i) {
    out[i] = expf(in[i] - largest);
    sum += out[i];
  }
  for (int32_t i = 0; i < 5; ++i) {
    out[i] /= sum;
  }
  return 0;
""",
}


def declaration(name: str) -> str:
    return f'#ifdef __cplusplus\nextern "C"\n#endif\nTVM_DLL int32_t {name}{ARGUMENTS}'


def kernel_source() -> str:
    head = f"""\
// tvm target: {TARGET}
#define TVM_EXPORTS
#include "tvm/runtime/c_runtime_api.h"
#include "tvm/runtime/c_backend_api.h"
#include <math.h>
#include <stddef.h>

static float* tensor(void* args, int32_t index) {{
  return (float*)((DLTensor*)((TVMValue*)args)[index].v_handle)->data;
}}
"""
    return "\n".join([head] + [f"{declaration(name)} {{\n{body}}}\n" for name, body in BODIES.items()])


def registry_source() -> str:
    """The C runtime looks functions up in this: a count of two bytes, the names, the functions in the same order."""
    count = "".join(f"\\{byte:03o}" for byte in struct.pack("<H", len(BODIES)))
    names = "".join(f"{name}\\000" for name in BODIES)
    functions = "".join(f"    (TVMBackendPackedCFunc){name},\n" for name in BODIES)
    return f"""\
#include <tvm/runtime/crt/module.h>

{"".join(declaration(name) + ";" + chr(10) for name in BODIES)}
static TVMBackendPackedCFunc _tvm_func_array[] = {{
{functions}}};

static const TVMFuncRegistry _tvm_func_registry = {{
    "{count}{names}",
    _tvm_func_array,
}};

static const TVMModule _tvm_system_lib = {{
    &_tvm_func_registry,
}};

const TVMModule* TVMSystemLibEntryPoint(void) {{
  return &_tvm_system_lib;
}}
"""


# --- graph, parameters, metadata -------------------------------------------------------------------------------------

def graph() -> dict:
    """The graph executor's JSON. Every node has one output, so node numbers and entry numbers are the same."""
    number = {node[0]: i for i, node in enumerate(NODES)}
    nodes = []
    for name, inputs, _, _, layout in NODES:
        if inputs is None:
            nodes.append({"op": "null", "name": name, "inputs": []})
            continue
        attrs = {"func_name": name, "num_inputs": str(len(inputs)), "num_outputs": "1", "flatten_data": "0",
                 "hash": hashlib.sha256(BODIES[name].encode()).hexdigest()[:16], **layout}
        nodes.append({"op": "tvm_op", "name": name, "attrs": attrs, "inputs": [[number[i], 0, 0] for i in inputs]})
    return {
        "nodes": nodes,
        "arg_nodes": [i for i, node in enumerate(NODES) if node[1] is None],
        "heads": [[len(NODES) - 1, 0, 0]],
        "attrs": {
            "dltype": ["list_str", ["float32" for _ in NODES]],
            "device_index": ["list_int", [CPU for _ in NODES]],
            "storage_id": ["list_int", [node[3] for node in NODES]],
            "shape": ["list_shape", [list(node[2]) for node in NODES]],
        },
        "node_row_ptr": list(range(len(NODES) + 1)),
    }


def storages() -> list[dict]:
    """One element per storage in order of first use; its size is that of the largest tensor that lies in it."""
    result: dict[int, dict] = {}
    for name, inputs, shape, storage, _ in NODES:
        entry = result.setdefault(storage, {"storage_id": storage, "size_bytes": 0})
        entry["size_bytes"] = max(entry["size_bytes"], size_of(shape))
        if inputs is None:
            entry["input_binding"] = name
    return list(result.values())


def parameters() -> bytes:
    names = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in PARAMS)
    out = struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, len(PARAMS)) + names + struct.pack("<Q", len(PARAMS))
    for seed, (shape, scale) in enumerate(PARAMS.values()):
        count = math.prod(shape)
        out += struct.pack("<QQiii", 0xDD5E40F096B4A13F, 0, CPU, 0, len(shape)) + FLOAT32
        out += struct.pack(f"<{len(shape)}qq", *shape, 4 * count)
        out += struct.pack(f"<{count}f", *random_floats(100 + seed, count, scale))
    return out


def metadata() -> dict:
    def tensors(shapes):
        return {name: {"size": size_of(shape), "dtype": "float32"} for name, shape in shapes.items()}

    memory = storages()
    between = sum(entry["size_bytes"] for entry in memory if "input_binding" not in entry)
    main = {
        "device": CPU,
        "workspace_size_bytes": between + max(WORKSPACE.values()),
        "constants_size_bytes": sum(size_of(shape) for shape, _ in PARAMS.values()),
        "io_size_bytes": sum(map(size_of, [*INPUTS.values(), *OUTPUTS.values()])),
        "inputs": tensors(INPUTS),
        "outputs": tensors(OUTPUTS),
    }
    functions = [{"function_name": name, "workspace": [{"device": CPU, "workspace_size_bytes": size}]}
                 for name, size in WORKSPACE.items()]
    module = {
        "model_name": MODEL,
        "style": "full-model",
        "executors": ["graph"],
        "export_datetime": STAMP + "Z",
        "target": [TARGET],
        "memory": {"sids": memory, "functions": {"main": [main], "operator_functions": functions}},
    }
    return {"version": 7, "modules": {MODEL: module}}


# --- the archive -----------------------------------------------------------------------------------------------------

def contents() -> dict[str, bytes]:
    return {
        "metadata.json": json.dumps(metadata(), indent=2, sort_keys=True).encode(),
        f"codegen/host/src/{MODEL}_lib0.c": registry_source().encode(),
        f"codegen/host/src/{MODEL}_lib1.c": kernel_source().encode(),
        f"executor-config/graph/{MODEL}.graph": json.dumps(graph(), indent=2).encode(),
        f"parameters/{MODEL}.params": parameters(),
        f"src/{MODEL}.relay": RELAY.encode(),
    }


def build(path: Path) -> None:
    """Packs the members the way TVM does: plain tar, names from `./`, each folder before what lies in it, sorted."""
    files = contents()
    folders = {str(parent) for name in files for parent in Path(name).parents}  # "." is among them
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(folders | set(files), key=lambda name: Path(name).parts):
            member = tarfile.TarInfo("." if name == "." else f"./{name}")
            member.uname = member.gname = "root"
            # TVM's archives carry fractions of a second and so an extended header per member; 0.5 gives the same here.
            member.mtime = calendar.timegm(time.strptime(STAMP, "%Y-%m-%d %H:%M:%S")) + 0.5
            if name in files:
                member.size, member.mode = len(files[name]), 0o644
                archive.addfile(member, io.BytesIO(files[name]))
            else:
                member.type, member.mode = tarfile.DIRTYPE, 0o700 if name == "." else 0o755
                archive.addfile(member)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("sample-mlf.tar"))
