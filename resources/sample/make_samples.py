#!/usr/bin/env python3
"""Makes the sample libraries of this folder with TVM, and sample-mlf.tar with mlf_builder.py.

    python3 -m venv tvm && tvm/bin/pip install apache-tvm==0.27.0.post1 numpy
    tvm/bin/python make_samples.py [OUT_DIR]

Linux on x86-64, a C compiler for linking, and nvcc on PATH. No GPU is needed, but TVM stores PTX only if its CUDA
runtime loads, and that needs a libcuda.so.1. Without a driver the one for linking will do:

    mkdir stub && ln -s CUDA_HOME/lib64/stubs/libcuda.so stub/libcuda.so.1
    LD_LIBRARY_PATH=stub tvm/bin/python make_samples.py [OUT_DIR]

The same versions of all these give the same bytes. The script prints name, size and SHA-256 of each file, as they stand
in PROVENANCE.md, and stops if a sample is not what it is meant to be.
"""
import hashlib
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import tvm
from mlf_builder import build, random_floats
from tvm import relax
from tvm.relax.backend.cuda import pipeline as cuda_passes
from tvm.s_tir import Schedule
from tvm.s_tir import dlight as dl

HOST = {"kind": "llvm", "mtriple": "x86_64-unknown-linux-gnu"}
CUDA_ARCH = "sm_75"  # the oldest one nvcc 13 compiles for; the driver compiles PTX for what is newer
BLOB_SYMBOL = b"__tvm_ffi__library_bin"


# --- the model -------------------------------------------------------------------------------------------------------

def weights(second_build: bool) -> dict[str, np.ndarray]:
    def tensor(seed: int, shape: tuple, scale: float) -> np.ndarray:
        return np.array(random_floats(seed, int(np.prod(shape)), scale), "float32").reshape(shape)

    result = {"filters": tensor(1, (4, 3, 3, 3), 0.4), "dense": tensor(2, (5, 4), 1.5), "bias": tensor(3, (5,), 1.0)}
    if second_build:
        result["bias"][2] += 0.25
    return result


def model(w: dict[str, np.ndarray]) -> tvm.IRModule:
    """Convolution, relu, mean over the picture, dense layer, softmax; the weights become constants of the library."""
    x = relax.Var("x", relax.TensorType((1, 3, 8, 8), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.nn.conv2d(x, relax.const(w["filters"]), padding=1))
            y = builder.emit(relax.op.nn.relu(y))
            y = builder.emit(relax.op.mean(y, axis=[2, 3]))
            y = builder.emit(relax.op.linear(y, relax.const(w["dense"]), relax.const(w["bias"])))
            y = builder.emit_output(relax.op.nn.softmax(y))
        builder.emit_func_output(y)
    return builder.get()


def reference(w: dict[str, np.ndarray], x: np.ndarray) -> np.ndarray:
    """The same model in numpy."""
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    mean = np.maximum(np.einsum("cyxij,fcij->fyx", windows, w["filters"]), 0).mean(axis=(1, 2))
    scores = w["dense"] @ mean + w["bias"]
    powers = np.exp(scores - scores.max())
    return (powers / powers.sum())[None]


# --- export ----------------------------------------------------------------------------------------------------------

@tvm.register_global_func("tvm_callback_cuda_compile", override=True)
def compile_to_ptx(source, *_):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels.cu").write_text(source)
        subprocess.run(["nvcc", "-ptx", "-O3", "-w", f"-arch={CUDA_ARCH}", "kernels.cu"], cwd=folder, check=True)
        return bytearray(Path(folder, "kernels.ptx").read_bytes())


class OneThreadPerOutput(dl.ScheduleRule):
    """Another schedule for the dense layer, and only for it: each of five threads adds up its own output, where TVM's
    own schedule has 16 by 5 threads add up together. The launch tag threadIdx.y goes away with that."""

    def apply(self, func, target, tunable):
        schedule = Schedule(func)
        inner = schedule.get_child_blocks(schedule.get_sblock("root"))
        blocks = {schedule.get(block).name_hint: block for block in inner}
        if set(blocks) != {"matmul", "T_add"}:
            return None
        row, column = schedule.get_loops(blocks["T_add"])
        schedule.bind(row, "blockIdx.x")
        schedule.bind(column, "threadIdx.x")
        schedule.compute_at(blocks["matmul"], column)
        schedule.set_scope(blocks["matmul"], 0, "local")
        schedule.unroll(schedule.get_loops(blocks["matmul"])[-1])
        return schedule


def passes_of_second_build(target: tvm.target.Target) -> tvm.transform.Pass:
    """TVM's default passes for CUDA, with the rule above in front of the default schedules."""
    *lower, _ = cuda_passes.legalize_passes(target)
    gpu = dl.gpu
    schedules = dl.ApplyDefaultSchedule(OneThreadPerOutput(), gpu.Matmul(), gpu.GEMV(), gpu.Reduction(),
                                        gpu.GeneralReduction(), gpu.Fallback())
    return tvm.transform.Sequential([
        *cuda_passes.library_dispatch_passes(target),
        *lower, schedules,
        *cuda_passes.dataflow_lower_passes(target),
        *cuda_passes.finalize_passes(target),
    ])


def export(path: Path, target: tvm.target.Target, second_build: bool = False) -> None:
    passes = passes_of_second_build(target) if second_build else "default"
    executable = relax.build(model(weights(second_build)), target, relax_pipeline=passes)
    # Debug information and local symbols go: the bytes shall not depend on folders of the machine that builds.
    executable.export_library(str(path), options=["-Wl,--strip-all"])


# --- the damaged copy ------------------------------------------------------------------------------------------------

def blob_offset(elf: bytes) -> int:
    """File offset of the module blob's eight byte header, by the dynamic symbol table of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 40)
    entry_size, count = struct.unpack_from("<HH", elf, 58)
    # name, type, flags, address, offset, size, link, info, alignment, entry size
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + i * entry_size) for i in range(count)]
    _, _, _, _, start, size, link, _, _, step = next(s for s in sections if s[1] == 11)  # SHT_DYNSYM
    for at in range(start, start + size, step):
        name, _, _, home, value, _ = struct.unpack_from("<IBBHQQ", elf, at)
        text = sections[link][4] + name
        if elf[text:elf.index(b"\0", text)] == BLOB_SYMBOL:
            return value - sections[home][3] + sections[home][4]
    raise ValueError(f"{BLOB_SYMBOL.decode()} not found")


class Cursor:
    def __init__(self, data: bytes, at: int):
        self.data, self.at = data, at

    def number(self) -> int:
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def skip(self, size: int) -> None:
        self.at += size

    def string(self) -> bytes:
        size = self.number()
        self.skip(size)
        return self.data[self.at - size:self.at]


def cuda_payload(elf: bytes) -> int:
    """File offset of the payload of the record `cuda`."""
    cursor = Cursor(elf, blob_offset(elf) + 8)
    modules = cursor.number() - 1
    cursor.skip(8 * (modules + 1))  # indptr of the import tree
    cursor.skip(8 * cursor.number())  # and its children
    for _ in range(modules):
        kind = cursor.string()
        if kind == b"cuda":
            cursor.number()  # size of the payload
            return cursor.at
        if kind != b"_lib":
            cursor.string()
    raise ValueError("no cuda module")


def damaged(elf: bytes) -> tuple[bytes, int]:
    """A copy whose record `cuda` does not decode: the length of the second kernel name is far too large. Also gives the
    file offset of that length."""
    cursor = Cursor(elf, cuda_payload(elf))
    if cursor.string() != b"ptx":  # fmt
        raise ValueError("the CUDA sample holds no PTX")
    cursor.number()  # kernels in fmap
    cursor.string()  # first kernel: key, and then its FunctionInfo
    cursor.string()
    cursor.skip(4 * cursor.number())  # argument types
    for _ in range(cursor.number()):
        cursor.string()  # launch tags
    cursor.skip(4 * cursor.number())  # argument extra tags
    at, length = cursor.at, cursor.number()
    return elf[:at] + struct.pack("<Q", length | 0x0BAD0000) + elf[at + 8:], at


# --- all of it -------------------------------------------------------------------------------------------------------

def check_cpu(path: Path) -> None:
    x = np.array(random_floats(9, 3 * 8 * 8, 1.0), "float32").reshape(1, 3, 8, 8)
    machine = relax.VirtualMachine(tvm.runtime.load_module(str(path)), tvm.cpu())
    result = machine["main"](tvm.runtime.tensor(x)).numpy()
    np.testing.assert_allclose(result, reference(weights(False), x), rtol=1e-5)


def main(out: Path) -> None:
    if tvm.get_global_func("ffi.Module.create.cuda", allow_missing=True) is None:
        sys.exit("TVM's CUDA runtime did not load: no libcuda.so.1 (see the top of this file)")
    out.mkdir(parents=True, exist_ok=True)
    cuda = tvm.target.Target({"kind": "cuda", "arch": CUDA_ARCH}, host=HOST)
    export(out / "sample-cuda-a.so", cuda)
    export(out / "sample-cuda-b.so", cuda, second_build=True)
    os.environ["TVM_COMPILE_FORCE_FALLBACK"] = "1"  # store OpenCL source, whether or not an OpenCL runtime is there
    export(out / "sample-opencl.so", tvm.target.Target("opencl", host=HOST))
    export(out / "sample-cpu.so", tvm.target.Target(HOST))
    check_cpu(out / "sample-cpu.so")
    whole = (out / "sample-cuda-a.so").read_bytes()
    broken, at = damaged(whole)
    (out / "sample-damaged.so").write_bytes(broken)
    build(out / "sample-mlf.tar")

    for path in sorted(out.glob("sample-*.*")):
        path.chmod(0o644)  # to be looked at, not to be run
        content = path.read_bytes()
        print(f"{path.name:18} {len(content):7} {hashlib.sha256(content).hexdigest()}")
    print(f"damage: bytes {whole[at:at + 8].hex(' ')} at {at:#x} are now {broken[at:at + 8].hex(' ')}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
