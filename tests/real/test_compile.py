#!/usr/bin/env python3
"""blobscope-cli compile with real compilers: the edited kernel computes what the edit says, and no other one changes.

    test_compile.py BLOBSCOPE_CLI

An edit doubles the results of one kernel: in OpenCL C (run with an OpenCL driver such as PoCL) and in SPIR-V assembly of
a library of the corpus (run with a Vulkan driver such as lavapipe). PTX of a sample is compiled for two architectures,
and TVM's own runtime passes the fat binary to its loader. Checks without their compiler, driver or runtime are skipped.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_compile.xml (JUnit) when that is set, and exits with 1 when a
check failed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_tvm_runtime import SAMPLES, Cli, Report, Tvm, equal  # noqa: E402

CORPUS = Path(os.environ.get("BLOBSCOPE_CORPUS") or Path(__file__).resolve().parents[3] / "shared" / "corpus") / "libraries"


def compiled(cli, folder, library, ref, text, *more):
    """Writes the source, compiles it into a copy of the library; returns the document and the copy."""
    source, out = folder / "source", folder / "edited.so"
    source.write_text(text)
    document = cli.document("compile", library, ref, "--source", source, "--into", out, *more)
    equal(document["misfits"], [], "misfits")
    cli.run("verify", out)
    return document, out


def refused(cli, folder, library, ref, text, line, *more):
    """The source does not compile; the message names the line. Nothing is written."""
    source, out = folder / "wrong", folder / "none.so"
    source.write_text(text)
    document = cli.document("compile", library, ref, "--source", source, "--into", out, *more, exit_code=1)
    if line not in [one["line"] for one in document["diagnostics"]]:
        raise AssertionError(f"no message for line {line}: {document['diagnostics'][:3]}")
    equal(out.exists(), False, "a file was written")


def verdicts(cli, *arguments):
    """The comparison of each function: name to verdict, with the largest relative difference."""
    run = subprocess.run([cli.program, "run", *map(str, arguments), "--yes", "--json"], capture_output=True, timeout=300)
    functions = json.loads(run.stdout)["functions"]
    return {one["name"]: [(out["verdict"], out.get("maxRelative")) for out in one["comparison"]["outputs"]] for one in functions}


def has_device(cli, kind):
    return any(device["kind"] == kind for device in cli.document("devices")["devices"])


# --- the edits --------------------------------------------------------------------------------------------------------


def opencl(cli, folder):
    library = SAMPLES / "sample-opencl.so"
    text = cli.payload(library, "m2/field:data").decode()
    start = text.rindex("// Function: mean_kernel")
    changed = re.sub(r"(T_divide_ptr\[[^\]]*\] = )(.*);", r"\1 2.0f * (\2);", text[start:])
    document, out = compiled(cli, folder, library, "m2", text[:start] + changed)
    equal(document["code"]["format"], "text", "format")
    equal(verdicts(cli, library, "--all", "--device", "opencl", "--compare", out),
          {"softmax": [("identical", 0)], "mean": [("differs", 0.5)], "fused_conv2d_relu": [("identical", 0)],
           "fused_matmul_add": [("identical", 0)]}, "results")
    line = text[:start].count("\n") + 5
    lines = text.split("\n")
    lines[line - 1] = lines[line - 1].replace("float", "flaot", 1)
    refused(cli, folder, library, "m2", "\n".join(lines), line)


def vulkan(cli, folder):
    library, ref = CORPUS / "gpt2-q0f16-vulkan-b6c369.so", "m2/kernel:fused_squeeze_kernel"
    pages = json.loads(cli.run("show", library, ref, "--page", "Disassembly", "--json"))
    text = next(page["text"] for page in pages["pages"] if page["name"] == "Disassembly")
    changed = re.sub(r"OpStore (%\w+) (%\w+) None\n", r"%doubled = OpFAdd %half \2 \2\n OpStore \1 %doubled None\n", text)
    document, out = compiled(cli, folder, library, ref, changed)
    equal((document["code"]["format"], document["compiler"]["name"]), ("spirv", "spirv-as"), "code")
    results = verdicts(cli, library, "--kernel", ref, "--device", "vulkan", "--compare", out)
    equal([verdict for outputs in results.values() for verdict in outputs if verdict[0] != "identical"], [("differs", 0.5)], "results")
    # Another kernel of the same module is unchanged.
    other = "m2/kernel:reshape2_kernel"
    equal(cli.payload(library, other), cli.payload(out, other), "the code of another kernel")
    refused(cli, folder, library, ref, text.replace("OpFunctionEnd", "OpFunctionEnt"), text[:text.index("OpFunctionEnd")].count("\n") + 1)


def cuda(cli, folder):
    """PTX to machine code of two architectures; returns the library."""
    library = SAMPLES / "sample-cuda-a.so"
    text = cli.payload(library, "m2/field:data").decode()
    at = text.index("%ctaid.x")
    line = text[:at].count("\n") + 1
    document, out = compiled(cli, folder, library, "m2", text.rstrip("\0"), "--arch", "sm_80,sm_90")
    equal(document["code"]["format"], "fatbin", "format")
    equal(sorted(kernel["name"] for kernel in document["kernels"]),
          ["fused_conv2d_relu_kernel", "fused_matmul_add_kernel", "mean_kernel", "softmax_kernel"], "kernels")
    images = json.loads(cli.run("show", out, "m2", "--page", "Images", "--json"))
    rows = next(page for page in images["pages"] if page["name"] == "Images")["rows"]
    equal([row[2] for row in rows], ["sm_80", "sm_90"], "architectures")
    wrong = text.rstrip("\0")
    refused(cli, folder, library, "m2", wrong[:at] + "%ctaid.q" + wrong[at + len("%ctaid.x"):], line, "--arch", "sm_90")
    return out


def cuda_sources(cli, folder):
    """A library that stores CUDA C++ keeps its source; the same source gives PTX and machine code."""
    library = CORPUS / "tvm-0.27-relax-cuda-source.so"
    text = cli.payload(library, "m2/field:data").decode().rstrip("\0")
    document, out = compiled(cli, folder, library, "m2", text + "\n// edited\n", "--arch", "sm_90")
    equal(document["code"]["format"], "text", "format")
    equal(cli.payload(out, "m2/field:data").decode(), text + "\n// edited\n", "the source")
    for compiler in ("nvrtc", "nvcc"):
        sample = SAMPLES / "sample-cuda-a.so"
        again, _ = compiled(cli, folder, sample, "m2", text, "--arch", "compute_80", "--compiler", compiler)
        equal(again["code"]["format"], "ptx", compiler)


def loads(tvm, cli, library):
    given = len(tvm.given)
    tvm.tvm.runtime.load_module(str(library))
    new = [payload for kind, payload in tvm.given[given:] if kind == "cuda"]
    equal(len(new), 1, "cuda modules that the runtime read")
    equal(new[0], cli.payload(library, "m2"), "the payload that the runtime passes to its loader")


def main():
    report = Report("test_compile")
    cli = Cli(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if has_device(cli, "opencl"):
            report.check("OpenCL C: one kernel doubles its results", lambda: opencl(cli, folder))
        else:
            report.skip("OpenCL C", "no OpenCL device")
        if not CORPUS.is_dir():
            report.skip("SPIR-V", "corpus absent")
        elif has_device(cli, "vulkan"):
            report.check("SPIR-V: one kernel doubles its results", lambda: vulkan(cli, folder))
        else:
            report.skip("SPIR-V", "no Vulkan device")
        if subprocess.run(["sh", "-c", "command -v ptxas || test -x /usr/local/cuda/bin/ptxas"], capture_output=True).returncode:
            report.skip("CUDA", "no CUDA toolkit")
            return report.finish()
        fat = report.check("PTX: machine code of two architectures", lambda: cuda(cli, folder))
        try:
            import tvm
            import tvm_ffi
        except ImportError:
            report.skip("PTX: TVM's runtime", "apache-tvm is not installed")
        else:
            if fat:
                report.check("PTX: TVM's runtime passes the fat binary to its loader", lambda: loads(Tvm(tvm, tvm_ffi), cli, fat))
        if CORPUS.is_dir():
            report.check("CUDA C++: source stays source, and gives PTX", lambda: cuda_sources(cli, folder))
        else:
            report.skip("CUDA C++", "corpus absent")
    return report.finish()


sys.exit(main())
