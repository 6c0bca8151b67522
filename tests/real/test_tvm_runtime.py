#!/usr/bin/env python3
"""The output of blobscope-cli for libraries, compared with that of Apache TVM itself.

    test_tvm_runtime.py BLOBSCOPE_CLI

Exports new libraries with the Python package apache-tvm, loads them and the bundled samples with TVM's own loader,
and compares import trees, payload bytes, function and kernel names. The package has no runtime for devices, so
stand-ins replace the loaders of `opencl` and `cuda`: they keep the bytes that TVM's reader passes to them.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_tvm_runtime.xml (JUnit) when that is set, and exits with 1 when a
check failed. Without the package there is one skipped check.
"""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import xml.etree.ElementTree as ElementTree
from pathlib import Path

os.environ["TVM_COMPILE_FORCE_FALLBACK"] = "1"  # store source when the runtime of the device is not in the package
SAMPLES = Path(__file__).resolve().parents[2] / "resources" / "sample"


class Report:
    """The checks, in order."""

    def __init__(self, name="test_tvm_runtime"):
        self.name = name
        self.suite = ElementTree.Element("testsuite", name=name)
        self.failures = self.skipped = 0
        self.start = time.monotonic()

    def check(self, name, body):
        """Runs the check; any exception is a failure. Returns the result of the check, None after a failure."""
        case = ElementTree.SubElement(self.suite, "testcase", classname=self.name, name=name)
        result = None
        try:
            result = body()
            print(f"pass: {name}")
        except Exception as problem:  # a check in TVM may raise any exception of TVM
            self.failures += 1
            text = traceback.format_exc()
            ElementTree.SubElement(case, "failure", message=str(problem)[:500] or type(problem).__name__).text = text
            print(f"FAIL: {name}\n{text}")
        return result

    def skip(self, name, reason):
        self.skipped += 1
        case = ElementTree.SubElement(self.suite, "testcase", classname=self.name, name=name)
        ElementTree.SubElement(case, "skipped", message=reason)
        print(f"skip: {name}: {reason}")

    def finish(self):
        tests = len(self.suite)
        self.suite.attrib.update(tests=str(tests), failures=str(self.failures), skipped=str(self.skipped), errors="0",
                                 time=f"{time.monotonic() - self.start:.3f}")
        folder = os.environ.get("BLOBSCOPE_RESULTS")
        if folder:
            ElementTree.ElementTree(self.suite).write(Path(folder) / f"{self.name}.xml", encoding="utf-8",
                                                      xml_declaration=True)
        print(f"{tests - self.failures - self.skipped} passed, {self.failures} failed, {self.skipped} skipped")
        return 1 if self.failures or tests == 0 else 0


def equal(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r}, expected {expected!r}"[:2000])


class Cli:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments, exit_code=0):
        run = subprocess.run([self.program, *map(str, arguments)], capture_output=True, timeout=120)
        equal(run.returncode, exit_code, f"exit code of {' '.join(map(str, arguments))} ({run.stderr.decode()})")
        return run.stdout

    def document(self, verb, *arguments, exit_code=0):
        return json.loads(self.run(verb, *arguments, "--json", exit_code=exit_code))

    def blob(self, path):
        blobs = self.document("tree", path)["blobs"]
        equal(len(blobs), 1, "blobs")
        return blobs[0]

    def payload(self, path, ref):
        return self.run("extract", path, ref, "-o", "-")


def cli_tree(blob):
    """The import tree as nested (kind, [children]), every module once under each of its importers."""

    def node(index):
        module = blob["modules"][index]
        return module["key"], [node(child) for child in module["imports"]]

    return node(blob["root"])


def without_order(tree):
    kind, children = tree
    return kind, sorted(without_order(child) for child in children)


class Tvm:
    """The package and the stand-ins for the loaders that it lacks."""

    KINDS = ("opencl", "cuda")

    def __init__(self, tvm, tvm_ffi):
        self.tvm, self.ffi = tvm, tvm_ffi
        self.given = []  # (kind, bytes) of each call of a stand-in
        create = tvm.get_global_func("runtime.CSourceModuleCreate")
        for kind in self.KINDS:

            def load(payload, kind=kind):
                self.given.append((kind, bytes(payload)))
                return create(f"stand-in {len(self.given) - 1}", "c", ["unused"], [])

            tvm_ffi.register_global_func(f"ffi.Module.load_from_bytes.{kind}", load, override=True)

    # --- models ---

    def model(self):
        """Convolution, relu, mean over the picture, dense layer, softmax; weights are constants of the library."""
        import numpy as np

        relax = self.tvm.relax
        rng = np.random.default_rng(3)
        weights = relax.const((rng.standard_normal((4, 3, 3, 3)) * 0.2).astype("float32"))
        dense = relax.const(rng.standard_normal((5, 4)).astype("float32"))
        bias = relax.const(rng.standard_normal(5).astype("float32"))
        shape = getattr(relax, "TensorStructInfo", None) or relax.TensorType
        x = relax.Var("x", shape((1, 3, 8, 8), "float32"))
        builder = relax.BlockBuilder()
        with builder.function("main", [x]):
            with builder.dataflow():
                y = builder.emit(relax.op.nn.relu(builder.emit(relax.op.nn.conv2d(x, weights, padding=1))))
                y = builder.emit(relax.op.linear(builder.emit(relax.op.mean(y, axis=[2, 3])), dense, bias))
                y = builder.emit_output(relax.op.nn.softmax(y))
            builder.emit_func_output(y)
        return builder.get()

    def build(self, device, host=None, prefix=None):
        model = self.model()
        if prefix:
            model = model.with_attr("system_lib_prefix", prefix)
        target = self.tvm.target.Target(device, host=host) if host else self.tvm.target.Target(device)
        return self.tvm.relax.build(model, target=target)

    def shared_child(self):
        """The host code imports two device modules, one of which imports the other."""
        built = self.build("opencl", "llvm")
        host = built.mod.imports[0]
        opencl = host.imports[0]
        cuda = self.build({"kind": "cuda", "arch": "sm_90"}, "llvm").mod.imports[0].imports[0]
        # TVM refuses a tree in which a child gets a smaller number than its parent; this order avoids it.
        host.import_module(cuda)
        cuda.import_module(opencl)
        return built

    # --- trees ---

    @staticmethod
    def exported_tree(module):
        """The stored tree of export_library: modules that become machine code of the library are its record `_lib`."""
        kind = "_lib" if module.is_compilation_exportable() else module.kind
        return kind, [Tvm.exported_tree(child) for child in module.imports]

    def loaded_tree(self, module):
        if module.kind == "library":
            kind = "_lib"
        elif module.kind == "c":
            kind = self.given[int(module.inspect_source().split()[1])][0]
        else:
            kind = module.kind
        return kind, [self.loaded_tree(child) for child in module.imports]

    def load(self, path):
        """The loaded root and the bytes that the stand-ins received."""
        first = len(self.given)
        module = self.tvm.runtime.load_module(str(path))
        return module, self.given[first:]

    def load_system_library(self, path, prefix):
        """A library with a prefix registers itself with the runtime when the system loads it."""
        first = len(self.given)
        ctypes.CDLL(str(path))
        module = self.tvm.runtime.system_lib(prefix)
        return module, self.given[first:]

    @staticmethod
    def library_of(module):
        return module if module.kind == "library" else Tvm.library_of(module.imports[0])


def device_modules(module):
    """The distinct device modules of a tree before export."""
    found = []

    def visit(node):
        if node.kind in Tvm.KINDS and not any(node.same_as(known) for known in found):
            found.append(node)
        for child in node.imports:
            visit(child)

    visit(module)
    return found


def kernels_in_source(source):
    """Names of the kernels that OpenCL C or CUDA source defines."""
    source = re.sub(r"__launch_bounds__\s*\([^)]*\)", "", source)
    # A kernel that is declared first and defined later is one kernel.
    return set(re.findall(r"(?:__kernel|__global__)\s+void\s+(\w+)\s*\(", source))


def check_loaded(report, cli, tvm, name, path, load, verify_exit=0):
    """Tree, payloads and host functions of a library that TVM's loader accepts."""
    blob = report.check(f"{name}: tree", lambda: cli.blob(path))
    loaded = report.check(f"{name}: TVM loads it", load)
    if not blob or not loaded:
        return
    module, given = loaded

    def tree():
        equal(cli_tree(blob), tvm.loaded_tree(module), "import tree")

    def payloads():
        ours = sorted((m["key"], cli.payload(path, m["ref"])) for m in blob["modules"] if m["key"] in Tvm.KINDS)
        equal([key for key, _ in ours], sorted(key for key, _ in given), "kinds of payloads")
        for (key, mine), (_, theirs) in zip(ours, sorted(given)):
            equal(len(mine), len(theirs), f"bytes of '{key}'")
            equal(mine == theirs, True, f"content of '{key}' is the same")

    def functions():
        library = Tvm.library_of(module)
        names = cli.document("tree", path)["host"]["functions"]
        equal(bool(names), True, "there are host functions")
        for function in names:
            equal(library.implements_function(function), True, f"TVM finds '{function}'")
            equal(library.implements_function(function + "_"), False, f"TVM finds '{function}_'")

    def verify():
        document = cli.document("verify", path, exit_code=verify_exit)
        equal(document["ok"], verify_exit == 0, "ok")
        equal([b["identical"] for b in document["blobs"]], [True], "identical")

    report.check(f"{name}: the import tree is the one TVM's loader builds", tree)
    report.check(f"{name}: TVM's loader gets the bytes that extract writes", payloads)
    report.check(f"{name}: TVM finds the host functions", functions)
    report.check(f"{name}: verify", verify)


def check_export(report, cli, tvm, name, folder, build, prefix=""):
    path = folder / f"{name.replace(' ', '-')}.so"

    def export():
        built = build()
        tree, devices = Tvm.exported_tree(built.mod), device_modules(built.mod)
        built.export_library(str(path))
        return tree, devices

    exported = report.check(f"{name}: TVM exports it", export)
    if not exported:
        return
    expected, devices = exported

    def tree():
        blob = cli.blob(path)
        # TVM renumbers the modules while it stores them; the order of siblings is checked against its loader.
        equal(without_order(cli_tree(blob)), without_order(expected), "import tree")
        equal(blob["prefix"], prefix, "prefix")
        equal((blob["era"], blob["stream"]), ("C1", "ffi"), "era and stream")
        # A module with two importers is stored once.
        equal(sum(m["key"] in Tvm.KINDS for m in blob["modules"]), len(devices), "device modules")

    def kernels():
        blob = cli.blob(path)
        for device in devices:
            module = next(m for m in blob["modules"] if m["key"] == device.kind)
            equal(module["decoded"], True, f"'{device.kind}' is decoded")
            equal(set(module["functions"]), kernels_in_source(device.inspect_source()), f"kernels of '{device.kind}'")
            equal(len(module["functions"]), len(set(module["functions"])), "each name once")

    report.check(f"{name}: the import tree is the one that was exported", tree)
    if devices:
        report.check(f"{name}: the kernels are those of the source", kernels)
    load = (lambda: tvm.load_system_library(path, prefix)) if prefix else (lambda: tvm.load(path))
    check_loaded(report, cli, tvm, name, path, load)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report()
    cli = Cli(str(Path(sys.argv[1]).resolve()))
    try:
        import tvm
        import tvm.relax
        import tvm_ffi
    except ModuleNotFoundError as problem:
        if problem.name and problem.name.split(".")[0] in ("tvm", "tvm_ffi"):
            report.skip("all", "apache-tvm is not installed")
            return report.finish()
        raise

    package = Tvm(tvm, tvm_ffi)
    cuda = {"kind": "cuda", "arch": "sm_90"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, build, prefix in (
            ("cpu", lambda: package.build("llvm"), ""),
            ("opencl", lambda: package.build("opencl", "llvm"), ""),
            ("cuda source", lambda: package.build(cuda, "llvm"), ""),
            ("host code in C", lambda: package.build("opencl", "c"), ""),
            ("shared child", package.shared_child, ""),
            ("system library", lambda: package.build("opencl", "llvm", "tiny_"), "tiny_"),
        ):
            check_export(report, cli, package, name, folder, build, prefix)
        for path in sorted(SAMPLES.glob("*.so")):
            damaged = "damaged" in path.name
            check_loaded(report, cli, package, path.name, path, lambda path=path: package.load(path), int(damaged))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
