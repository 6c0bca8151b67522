#!/usr/bin/env python3
"""What `blobscope-cli preflight` predicts, compared with what TVM's own runtimes do.

    test_preflight.py BLOBSCOPE_CLI

Loads libraries in a process of its own: made with the Python package apache-tvm, the bundled samples, copies that are
broken on purpose, libraries that the C compiler of the system links for one reason each, and the corpus when BLOBSCOPE_CORPUS names its folder. Compares verdict and text, the functions that
refuse their number of arguments, and crashes. Runs with the package of this Python, and with those of the Pythons in
BLOBSCOPE_TVM_PYTHONS (paths, separated by ":").
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_tvm_runtime import SAMPLES, Cli, Report, Tvm, equal  # noqa: E402

# Imports TVM once. For each line of its input, a process of its own loads a library and prints what happened; then it
# prints how that process ended.
SERVER = r"""
import json, os, sys
import tvm_ffi
try:
    import tvm
    name, load_module = "apache-tvm", tvm.runtime.load_module
except ModuleNotFoundError:
    import tvm_tirx
    name, load_module = "apache-tvm-tirx", tvm_ffi.load_module

def say(word, content):
    os.write(1, (word + " " + json.dumps(content) + "\n").encode())

def load(path, call):
    out = {"ok": False}
    try:
        module = load_module(path)
        out.update(ok=True, kind=module.kind, imports=[child.kind for child in module.imports])
    except Exception as problem:
        out["error"] = str(problem)
        return say("RESULT", out)
    if module.kind == "relax.VMExecutable":
        try:
            machine = tvm.relax.VirtualMachine(module, tvm.cpu())
            out["vm"] = "ok"
        except Exception as problem:
            out["vm"] = str(problem)
    say("RESULT", out)
    if call and out.get("vm") == "ok":
        import numpy
        try:
            machine[call[0]](tvm.runtime.tensor(numpy.zeros([int(number) for number in call[1].split(",")], "float32")))
            out["call"] = "ok"
        except Exception as problem:
            out["call"] = str(problem)
        say("RESULT", out)

import importlib.metadata as metadata
say("RESULT", {"package": name, "version": metadata.version(name)})
say("END", 0)
for line in sys.stdin:
    path, *call = json.loads(line)
    child = os.fork()
    if child == 0:
        load(path, call)
        os._exit(0)
    say("END", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


class Runtime:
    """An installed runtime, used through processes of its own Python."""

    def __init__(self, python):
        self.server = subprocess.Popen([python, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        found = self.answer()
        version = re.match(r"\d+\.\d+\.\d+(?:a\d+)?", found["version"]).group()
        self.name = f"tirx-{version}" if found["package"].endswith("tirx") else f"v{version}"

    def answer(self):
        """The last result of a process, and whether it ended early: by a signal, or by the loader of the system (127)."""
        result = {"ok": False}
        for line in self.server.stdout:
            word, _, content = line.partition(" ")
            if word == "RESULT":
                result = json.loads(content)
            elif word == "END":
                code = json.loads(content)
                return result | {"crashed": code < 0 or code == 127}
        raise AssertionError("the runtime cannot be imported")

    def run(self, *arguments):
        self.server.stdin.write(json.dumps([str(argument) for argument in arguments]) + "\n")
        self.server.stdin.flush()
        return self.answer()

    def close(self):
        self.server.stdin.close()
        self.server.wait(60)


def flat(text):
    """Without folders of paths, white space and case."""
    return re.sub(r"\s+|[^ ]*/(?=[^/ ]+\.(so|o|tar))", " ", text or "").strip().lower()


def preflight(cli, path, runtime):
    run = subprocess.run([cli.program, "preflight", str(path), "--runtime", runtime, "--json"], capture_output=True,
                         timeout=120)
    if run.returncode not in (0, 1):
        raise AssertionError(f"exit code {run.returncode}: {run.stderr.decode()}")
    return json.loads(run.stdout)["files"][0]["targets"][0]


def wanted_verdict(result, has_blob):
    text = result.get("error") or (result["vm"] if result.get("vm", "ok") != "ok" else "")
    if not result["ok"] or text:
        return "fails", text
    empty = result["kind"] == "library" and not result["imports"] and has_blob
    return ("loads-without-modules" if empty else "loads"), ""


def check_loading(report, cli, runtime, name, path):
    """Verdict and text of the load and of making the VM."""

    def body():
        result = runtime.run(path)
        blobs = cli.document("tree", path)["blobs"]
        verdict, text = wanted_verdict(result, bool(blobs))
        found = preflight(cli, path, runtime.name)
        equal(found["verdict"], verdict, f"verdict ({text or result})")
        if flat(text)[:120] not in flat(found["message"]):
            raise AssertionError(f"the runtime prints {text!r}; predicted was {found['message']!r}")

    report.check(f"{runtime.name}: {name}", body)


def check_call(report, cli, runtime, name, path, function, shape):
    """A call that refuses its number of arguments."""

    def body():
        result = runtime.run(path, function, shape)
        found = preflight(cli, path, runtime.name)
        refused = [m for m in found["missing"] if m["kind"] == "arguments"]
        equal(result.get("vm"), "ok", "the VM is made")
        equal(result.get("call") == "ok", not refused, f"the call succeeds ({result}; predicted {refused})")
        if refused and flat(refused[0]["message"])[:60] not in flat(result["call"]):
            # Texts with the signature of the function are compared without it.
            expected = re.search(r"Expected \S+ but got \d+ arguments|expects \d+ arguments, but \d+", result["call"])
            if not expected or str(refused[0]["name"]) not in result["call"]:
                raise AssertionError(f"the runtime prints {result['call']!r}; predicted was {refused[0]['message']!r}")

    report.check(f"{runtime.name}: {name}", body)


def check_crash(report, cli, runtime, name, path, function, shape):
    """A call through a slot that stays empty."""

    def body():
        result = runtime.run(path, function, shape)
        found = preflight(cli, path, runtime.name)
        crashes = [m["name"] for m in found["missing"] if m["certain"] and m["crashes"]]
        equal(result["crashed"], result["ok"] and bool(crashes), f"the process ends ({result}; predicted {crashes})")
        equal(found["verdict"], "loads" if result["ok"] else "fails", "verdict")

    report.check(f"{runtime.name}: {name}", body)


class Makers:
    """Libraries, each with one cause."""

    def __init__(self, tvm, package, cli, folder):
        self.tvm, self.package, self.cli, self.folder = tvm, package, cli, folder

    def export(self, name, built):
        path = self.folder / f"{name}.so"
        built.export_library(str(path))
        return path

    def changed(self, source, name, old, new):
        """A copy in which bytes are replaced by as many others, everywhere."""
        content = source.read_bytes()
        equal(len(old), len(new), "length")
        equal(old in content, True, f"{old!r} is in the file")
        path = self.folder / f"{name}.so"
        path.write_bytes(content.replace(old, new))
        return path

    def cut(self, source):
        path = self.folder / "cut.so"
        path.write_bytes(source.read_bytes()[:4000])
        return path

    def calls(self, name, function, arguments):
        """main(x) calls a packed function with x as often as `arguments` says."""
        relax = self.tvm.relax
        shape = getattr(relax, "TensorStructInfo", None) or relax.TensorType
        x = relax.Var("x", shape((2, 3), "float32"))
        builder = relax.BlockBuilder()
        with builder.function("main", [x]):
            result = [shape((2, 3), "float32")]
            try:
                made = relax.call_pure_packed(function, *([x] * arguments), ty_args=result)
            except TypeError:  # before v0.27
                made = relax.call_pure_packed(function, *([x] * arguments), sinfo_args=result)
            builder.emit_func_output(builder.emit(made))
        return self.export(name, self.tvm.relax.build(builder.get(), target=self.tvm.target.Target("llvm")))


def make_all(report, makers, package):
    """Name → (path, kind of check)."""
    made = {}

    def make(name, kind, body):
        path = report.check(f"made: {name}", body)
        if path:
            made[name] = (path, kind)

    make("cpu", "load", lambda: makers.export("cpu", package.build("llvm")))
    make("host code in C", "load", lambda: makers.export("c-host", package.build("c")))
    make("compiled", "load", lambda: makers.export(
        "compiled", package.tvm.relax.build(package.model(), target=package.tvm.target.Target("llvm"), exec_mode="compiled")))
    make("opencl", "load", lambda: makers.export("opencl", package.build("opencl", "llvm")))
    make("one argument too many", "call", lambda: makers.calls("many", "vm.builtin.shape_of", 2))
    make("the right number", "call", lambda: makers.calls("right", "vm.builtin.copy", 1))
    cpu = made.get("cpu", (None,))[0]
    if not cpu:
        return made
    make("cut", "load", lambda: makers.cut(cpu))
    make("other carrier", "load", lambda: makers.changed(cpu, "carrier", b"__tvm_ffi__library_bin", b"__tvm_ffi__library_bix"))
    make("loader that does not exist", "load",
         lambda: makers.changed(cpu, "loader", b"relax.VMExecutable", b"relax.VMExecutablX"))
    make("wrong magic", "load", lambda: makers.changed(cpu, "magic", bytes.fromhex("1e1514422fde25d2"), bytes.fromhex("1c1514422fde25d2")))
    make("wrong version", "load",
         lambda: makers.changed(cpu, "version", b"\x04\0\0\0\0\0\0\0" + b"0.14", b"\x04\0\0\0\0\0\0\0" + b"0.99"))
    compiled = made.get("compiled", (None,))[0]
    if compiled:
        make("compiled function that does not exist", "load",
             lambda: makers.changed(compiled, "compiled-function", b"__vmtir__main", b"__vmtir__maiX"))
    make("function that does not exist", "load",
         lambda: makers.changed(cpu, "function", b"vm.builtin.alloc_storage", b"vm.builtin.alloc_storagX"))
    return made


# Libraries made with the C compiler of the system, each with one reason for which its loader accepts or refuses it.
# Name → (source, options of the compiler, expected end of a load: "loads", "fails", "ends" the process).
LINKED = {
    "plain": ("TVM(1)", [], "loads"),
    "constructor": ("void gone(void); __attribute__((constructor)) static void c(void) { gone(); } TVM(1)", [], "ends"),
    "call": ("int gone(void); TVM(gone())", [], "loads"),
    "bound at once": ("int gone(void); TVM(gone())", ["-Wl,-z,now"], "fails"),
    "without PLT": ("int gone(void); TVM(gone())", ["-fno-plt"], "fails"),
    "data": ("extern int gone; TVM(gone)", [], "fails"),
    "pointer": ("int gone(void); int (*p)(void) = gone; TVM(1)", [], "fails"),
    "thread-local data": ("extern __thread int gone; TVM(gone)", [], "fails"),
    "weak": ("__attribute__((weak)) int gone(void); TVM(gone ? gone() : 1)", [], "loads"),
    "destructor": ("void gone(void); __attribute__((destructor)) static void c(void) { gone(); } TVM(1)", [], "loads"),
    "resolver": ("int gone(void); static int one(void) { return 1; } static void* r(void) { return gone() ? one : one; } "
                 "static int f(void) __attribute__((ifunc(\"r\"))); TVM(f())", [], "fails"),
    "resolver that runs early": (
        "char* getenv(const char*); static int one(void) { return 1; } static void* r(void) { return getenv(\"X\") ? one : "
        "one; } int f(void) __attribute__((ifunc(\"r\"))); int (*p)(void) = f; TVM(1)", [], "ends"),
    "variable that is 0": ("void gone(void); static long done; __attribute__((constructor)) static void c(void) "
                           "{ if (!done) { gone(); done = 1; } } TVM((int)done)", [], "ends"),
    "needed library": ("int other(void); TVM(other())", ["-L.", "-l:libother.so.7"], "fails"),
    "needed library beside": ("int other(void); TVM(other())",
                              ["-L.", "-l:libother.so.7", "-Wl,-rpath,$ORIGIN/sub"], "loads"),
    "version": ("int other(void); TVM(other())", ["-L.", "-l:libversions.so", "-Wl,-rpath,$ORIGIN/old"], "fails"),
}


def make_linked(folder):
    """The files of LINKED, and three with an address outside of the code."""
    def compile_(name, source, *options):
        head = "#define TVM(x) int __tvm_ffi_f(void* s, const void* a, int n, void* r) { return x; }\n"
        subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-xnone", "-o", name, *options], input=head + source, text=True,
                       cwd=folder, check=True, capture_output=True)

    for part in ("sub", "old"):
        (folder / part).mkdir(exist_ok=True)
    compile_("libother.so.7", "int other(void) { return 1; }", "-Wl,-soname,libother.so.7")
    (folder / "libother.so.7").rename(folder / "sub" / "libother.so.7")
    for name, version in (("libversions.so", "V_2"), ("old/libversions.so", "V_1")):
        (folder / "v.map").write_text(f"{version} {{ other; }};")
        compile_(name, "int other(void) { return 1; }", "-Wl,-soname,libversions.so", "-Wl,--version-script=v.map")
    made = {}
    for name, (source, options, end) in LINKED.items():
        path = folder / (name.replace(" ", "-") + ".so")
        link = [option.replace("-L.", "-Lsub") if name.startswith("needed") else option for option in options]
        compile_(path.name, source, *link)
        made[name] = (path, end)
    for name, tag, end in (("DT_INIT", 12, "ends"), ("DT_FINI", 13, "loads"), ("DT_INIT_ARRAY", 25, "ends")):
        path = folder / f"bad-{name}.so"
        path.write_bytes(with_tag(made["plain"][0].read_bytes(), tag, 0x99990000))
        made[f"{name} outside of the code"] = (path, end)
    return made


def with_tag(content, tag, value):
    """A 64-bit ELF file in which a dynamic tag has another value."""
    content = bytearray(content)
    at, count = struct.unpack_from("<Q", content, 32)[0], struct.unpack_from("<H", content, 56)[0]
    for i in range(count):
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", content, at + 56 * i)
        if kind != 2:
            continue
        for entry in range(offset, offset + size, 16):
            if struct.unpack_from("<Q", content, entry)[0] == tag:
                struct.pack_into("<Q", content, entry + 8, value)
    return bytes(content)


def check_linked(report, cli, runtime, name, path, end):
    """What the system's loader does, and what was predicted, with its words."""

    def body():
        result = runtime.run(path)
        happened = "ends" if result["crashed"] and not result["ok"] else "loads" if result["ok"] else "fails"
        equal(happened, end, f"what the loader does ({result})")
        found = preflight(cli, path, runtime.name)
        needs = [m for m in found["missing"] if m["id"] == "PRE-LIBRARY"]
        # Whether another system has a library is not known; the message is.
        equal(found["verdict"], "unknown" if needs else "loads" if end == "loads" else "fails", f"verdict ({found})")
        ends = any(m["certain"] and m["crashes"] and m["step"] == found["step"] for m in found["missing"])
        equal(end == "ends", found["verdict"] == "fails" and ends, f"the process ends ({found})")
        text = result.get("error", "")
        said = needs[0]["message"] if needs else found["message"]
        words = re.search(r"[^ ]*: (undefined symbol|cannot open|version).*", text)
        if words and flat(words.group()) not in flat(said):
            raise AssertionError(f"the loader prints {words.group()!r}; predicted was {said!r}")

    report.check(f"{runtime.name}: linked: {name}", body)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report("test_preflight")
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
    pythons = [sys.executable, *filter(None, os.environ.get("BLOBSCOPE_TVM_PYTHONS", "").split(":"))]
    runtimes = [runtime for python in pythons
                if (runtime := report.check(f"runtime of {Path(python).parts[-3]}", lambda python=python: Runtime(python)))]
    with tempfile.TemporaryDirectory() as temporary:
        package = Tvm(tvm, tvm_ffi)
        makers = Makers(tvm, package, cli, Path(temporary))
        made = make_all(report, makers, package)
        (Path(temporary) / "linked").mkdir()
        linked = report.check("made: linked", lambda: make_linked(Path(temporary) / "linked")) or {}
        corpus = Path(os.environ.get("BLOBSCOPE_CORPUS", "")) / "libraries"
        files = sorted(SAMPLES.glob("*.so"))
        if os.environ.get("BLOBSCOPE_CORPUS"):
            files += [path for path in sorted(corpus.glob("*.so")) if b"\x7fELF\x02" == path.read_bytes()[:5] and
                      path.read_bytes()[18:20] == b"\x3e\0"]
        for runtime in runtimes:
            for path in files:
                if "damaged" not in path.name:
                    check_loading(report, cli, runtime, path.name, path)
            for name, (path, kind) in made.items():
                if kind == "load":
                    check_loading(report, cli, runtime, name, path)
                elif not runtime.name.startswith("tirx"):
                    check_call(report, cli, runtime, name, path, "main", "2,3")
            for name, (path, end) in linked.items():
                check_linked(report, cli, runtime, name, path, end)
            # Called through its slots in the release that made it, and in the others.
            if "cpu" in made:
                check_crash(report, cli, runtime, "call through the slots", made["cpu"][0], "main", "1,3,8,8")
            runtime.close()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
