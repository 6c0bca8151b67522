#!/usr/bin/env python3
"""Libraries repacked by blobscope-cli, loaded by the system and by Apache TVM.

    test_repack.py BLOBSCOPE_CLI

Without TVM: the system's loader maps repacked libraries, and the bytes at their symbol are the new blob, also after strip,
llvm-strip, eu-strip and patchelf have rewritten the result. With the Python package apache-tvm: its runtime loads edited
constants, bytecode and trees, and computes the numbers of the edited model. Libraries of the corpus (BLOBSCOPE_CORPUS)
are repacked and loaded too, if available.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_repack.xml (JUnit) when that is set, and exits with 1 when a
check failed.
"""
import ctypes
import json
import os
import platform
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_tvm_runtime import SAMPLES, Cli, Report, Tvm, cli_tree, equal  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("BLOBSCOPE_CORPUS") or ROOT.parent / "shared" / "corpus") / "libraries"
CARRIERS = ("__tvm_ffi__library_bin", "__tvm_ffi_library_bin", "__tvm_dev_mblob")


# --- inputs -----------------------------------------------------------------------------------------------------------


def stream(modules):
    """An ffi stream (v0.22 and later): a chain of modules, each imports the next one; `modules`: (key, payload)."""
    count = len(modules)
    children = list(range(1, count))
    indptr = [min(i, count - 1) for i in range(count + 1)]
    out = struct.pack("<Q", count + 1) + struct.pack(f"<{count + 1}Q", *indptr)
    out += struct.pack("<Q", len(children)) + struct.pack(f"<{len(children)}Q", *children)
    for key, payload in modules:
        out += struct.pack("<Q", len(key)) + key.encode()
        if key != "_lib":
            out += struct.pack("<Q", len(payload)) + payload
    return struct.pack("<Q", len(out)) + out


def compiled(folder, name, blob, compiler="cc", options=()):
    """A shared library with the blob at TVM's symbol, code before it and data after it."""
    (folder / f"{name}.bin").write_bytes(blob)
    source = folder / f"{name}.S"
    source.write_text(
        f'.section .rodata\n.globl __tvm_ffi__library_bin\n.type __tvm_ffi__library_bin, %object\n'
        f'.size __tvm_ffi__library_bin, {len(blob)}\n__tvm_ffi__library_bin: .incbin "{folder}/{name}.bin"\n'
        '.globl other\n.type other, %object\n.size other, 4\n.balign 4\nother: .long 0x600df00d\n'
        '.section .note.GNU-stack,"",%progbits\n')
    code = folder / f"{name}.c"
    code.write_text("int twice(int x) { return 2 * x; }\n")
    out = folder / f"{name}.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", *options, "-o", out, code, source], check=True, capture_output=True)
    return out


LOADER = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
int main(int count, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_LAZY);
  if (!library) { fprintf(stderr, "%s\\n", dlerror()); return 3; }
  if (count < 4) return 0;
  const unsigned char* bytes = dlsym(library, arguments[2]);
  if (!bytes) { fprintf(stderr, "%s\\n", dlerror()); return 4; }
  FILE* file = fopen(arguments[3], "rb");
  fseek(file, 0, SEEK_END);
  const size_t size = ftell(file);
  rewind(file);
  unsigned char* wanted = malloc(size);
  if (fread(wanted, 1, size, file) != size) return 5;
  return memcmp(bytes, wanted, size) ? 6 : 0;
}
"""


class Loader:
    """A separate program, so that a library that crashes it fails only one check."""

    def __init__(self, folder, compiler="cc", runner=()):
        source = folder / "loader.c"
        source.write_text(LOADER)
        self.program = folder / f"loader-{compiler}"
        self.runner = runner
        subprocess.run([compiler, "-o", self.program, source, "-ldl"], check=True, capture_output=True)

    def run(self, *arguments):
        return subprocess.run([*self.runner, self.program, *map(str, arguments)], capture_output=True, timeout=60)

    def loads(self, library):
        return self.run(library).returncode == 0

    def check(self, library, symbol, blob_file):
        run = self.run(library, symbol, blob_file)
        equal(run.returncode, 0, f"loading {library.name} and comparing the bytes at {symbol} ({run.stderr.decode()})")


def carrier_of(cli, library):
    blob = cli.blob(library)
    return blob["prefix"] + blob["carrier"]


# --- 1. The system's loader. ------------------------------------------------------------------------------------------


def tools(prefix=""):
    """Installed programs that rewrite libraries: (name, command with {}). `prefix`: of GNU tools for a machine."""
    known = [("strip", [f"{prefix}strip", "{}"]), ("llvm-strip", ["llvm-strip-19", "{}"]), ("eu-strip", ["eu-strip", "{}"]),
             ("objcopy", [f"{prefix}objcopy", "{}"]), ("patchelf", ["patchelf", "--set-rpath", "/nowhere/but/long/enough", "{}"])]
    return [(name, command) for name, command in known if shutil.which(command[0])]


def check_sizes(report, cli, loader, folder, library, name, new_blobs, prefix=""):
    """Blobs of several sizes in turn, each loaded; then the last one after other tools have rewritten it."""
    symbol = carrier_of(cli, library)
    blob_file = folder / "blob.bin"

    def repacked(source, blob, out):
        blob_file.write_bytes(blob)
        document = cli.document("repack", source, "-o", out, "--replace", f"blob={blob_file}")
        equal(document["verified"], True, "verified")
        equal(cli.run("extract", out, "blob", "-o", "-"), blob, "the blob that was written")
        loader.check(out, symbol, blob_file)
        return document["strategy"]

    def sizes():
        strategies, source = [], library
        for index, blob in enumerate(new_blobs):
            out = folder / f"step-{index}.so"
            strategies.append(repacked(source, blob, out))
            source = out
        print(f"      {name}: {', '.join(strategies)}")
        return source

    def determined():
        # edit(edit(edit(F, A), B), A) is edit(F, A).
        large, larger = max(new_blobs, key=len), max(new_blobs, key=len) + b"\0" * 70000
        larger = struct.pack("<Q", len(larger) - 8) + larger[8:]
        outs = []
        for chain in ((large,), (large, larger, large)):
            source = library
            for index, blob in enumerate(chain):
                blob_file.write_bytes(blob)
                out = folder / f"chain-{len(outs)}-{index}.so"
                cli.document("repack", source, "-o", out, "--replace", f"blob={blob_file}", "--force")
                source = out
            outs.append(source.read_bytes())
        equal(outs[0] == outs[1], True, "editing there and back gives the same file")

    last = report.check(f"{name}: blobs of {', '.join(f'{len(b):,}' for b in new_blobs)} bytes load", sizes)
    if not last:
        return
    blob_file.write_bytes(new_blobs[-1])
    for tool, command in tools(prefix):
        def rewritten(tool=tool, command=command):
            out = folder / f"after-{tool}.so"
            shutil.copy(last, out)
            subprocess.run([str(out) if part == "{}" else part for part in command], check=True, capture_output=True)
            loader.check(out, symbol, blob_file)
            again = folder / f"again-{tool}.so"
            repacked(out, new_blobs[0], again)

        report.check(f"{name}: loads after {tool}, and can be edited again", rewritten)
        blob_file.write_bytes(new_blobs[-1])
    report.check(f"{name}: what it becomes depends on the last blob only", determined)


def valid(size):
    """A stream of about `size` bytes with one module of an unknown kind."""
    return stream([("example", bytes(random.Random(size).randbytes(max(size - 80, 1))))])


def check_system(report, cli, folder):
    if not shutil.which("cc"):
        return report.skip("system loader", "no C compiler: cc not found")
    loader = Loader(folder)
    sizes = [valid(600), valid(200), valid(50_000), valid(5_000_000), valid(7_000)]
    linkers = [("gnu ld", ()), ("gnu ld without build id", ("-Wl,--build-id=none",)), ("gnu ld, separate code", ("-Wl,-z,separate-code",)),
               ("gnu ld, both hashes", ("-Wl,--hash-style=both",)), ("gnu ld, old hash", ("-Wl,--hash-style=sysv",))]
    if shutil.which("ld.gold"):
        linkers.append(("gold", ("-fuse-ld=gold",)))
    lld = shutil.which("ld.lld-19") or shutil.which("ld.lld")
    if lld:
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / "ld.lld").symlink_to(lld)
        linkers.append(("lld", ("-fuse-ld=lld", f"-B{folder / 'bin'}")))
    for name, options in linkers:
        made = report.check(f"{name}: links the input", lambda: compiled(folder, name.replace(" ", "-").replace(",", ""), valid(600), options=options))
        if made:
            check_sizes(report, cli, loader, folder, made, name, sizes)
    cross, qemu = "aarch64-linux-gnu-gcc", shutil.which("qemu-aarch64")
    if shutil.which(cross) and qemu:
        arm = report.check("aarch64: links the loader", lambda: Loader(folder, cross, (qemu, "-L", "/usr/aarch64-linux-gnu")))
        made = report.check("aarch64: links the input", lambda: compiled(folder, "aarch64", valid(600), cross))
        if arm and made:
            check_sizes(report, cli, arm, folder, made, "aarch64", sizes, "aarch64-linux-gnu-")
    else:
        report.skip("aarch64", "no cross compiler or qemu-user")
    # The samples need functions of TVM, which lazy binding does not look up.
    for sample in sorted(SAMPLES.glob("sample-*.so")):
        if "damaged" not in sample.name:
            check_sizes(report, cli, loader, folder, sample, sample.name, sizes)


# --- 2. The corpus. ---------------------------------------------------------------------------------------------------


def quoted(name):
    return "".join(c if c.isalnum() or c in "_-." else f"%{ord(c):02x}" for c in name)


def blobs_of(document):
    """All blobs of a file and of its members."""
    for blob in document.get("blobs", []):
        yield blob
    for member in document.get("members", []):
        yield from blobs_of(member)


def check_corpus(report, cli, folder):
    """Every library unchanged, and with a smaller blob; ELF also with a larger one, loaded where the machine can."""
    libraries = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []
    if not libraries:
        return report.skip("corpus", "corpus absent")
    loader = Loader(folder) if shutil.which("cc") else None
    for path in libraries:
        document = cli.document("tree", path)
        blob = next((b for b in blobs_of(document) if b["modules"]), None)
        if not blob:
            continue
        module = next((m for m in blob["modules"] if m["functions"]), None)
        shared = document["container"]["format"] == "elf"

        def edits(path=path, document=document, blob=blob, module=module, shared=shared):
            symbol, wanted = blob["prefix"] + blob["carrier"], folder / "wanted.bin"
            loadable = loader and platform.machine() == "x86_64" and shared and document["container"]["arch"] == "x86_64" and loader.loads(path)
            out, strategies = folder / f"edited-{path.name}", []
            equal(cli.document("repack", path, "-o", out)["strategy"], "identity", "strategy without edits")
            equal(out.read_bytes() == path.read_bytes(), True, "identical without edits")

            def step(source, target, edit):
                (folder / "edits.json").write_text(json.dumps({"schema": "blobscope.edits/1", "file": {}, "edits": [edit]}))
                result = cli.document("repack", source, "-o", target, "--edits", folder / "edits.json")
                equal(result["verified"], True, "verified")
                strategies.append(result["strategy"])
                after = next(b for b in blobs_of(cli.document("tree", target)) if b["ref"] == blob["ref"])
                if loadable:
                    wanted.write_bytes(cli.run("extract", target, "blob", "-o", "-"))
                    loader.check(target, symbol, wanted)
                return after["modules"]

            def renamed(source, target, old, new):
                modules = step(source, target, {"op": "rename", "ref": f"{module['ref']}/kernel:{quoted(old)}", "name": new})
                equal(new in modules[module["index"]]["functions"], True, "the new name is there")
                equal([m["imports"] for m in modules], [m["imports"] for m in blob["modules"]], "import tree")

            larger, smaller = folder / f"larger{path.suffix}", folder / f"smaller{path.suffix}"
            if not shared and module:
                renamed(path, smaller, module["functions"][0], "y")
            elif module:
                renamed(path, larger, module["functions"][0], "x" * 900)
                renamed(larger, smaller, "x" * 900, "y")
            elif shared:
                added = f"m{len(blob['modules'])}"
                modules = step(path, larger, {"op": "add", "id": "new1", "key": "example", "hex": "00" * 900, "parents": ["m0"]})
                equal(modules[-1]["key"], "example", "the new module")
                modules = step(larger, smaller, {"op": "remove", "ref": added})
                equal([m["key"] for m in modules], [m["key"] for m in blob["modules"]], "modules")
            print(f"      {path.name}: {', '.join(strategies)}{', loaded' if loadable else ''}")

        report.check(f"{path.name}: repacked", edits)


# --- 3. TVM's runtime computes with it. -------------------------------------------------------------------------------


def reference(x, conv, dense, bias, relu=True):
    """The sample's model in float64: convolution with padding 1, relu, mean, dense layer, softmax."""
    import numpy as np

    x, conv, dense, bias = (a.astype("float64") for a in (x, conv, dense, bias))
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    y = np.zeros((conv.shape[0], x.shape[2], x.shape[3]))
    for f in range(conv.shape[0]):
        for i in range(x.shape[2]):
            for j in range(x.shape[3]):
                y[f, i, j] = (padded[:, i:i + 3, j:j + 3] * conv[f]).sum()
    if relu:
        y = np.maximum(y, 0)
    z = dense @ y.mean(axis=(1, 2)) + bias
    e = np.exp(z - z.max())
    return (e / e.sum())[None]


class Model:
    """sample-cpu.so and its content."""

    def __init__(self, cli, tvm, folder):
        import numpy as np

        self.cli, self.tvm, self.folder, self.np = cli, tvm, folder, np
        self.path = SAMPLES / "sample-cpu.so"
        rows = self.tensors(self.path)
        self.refs = [ref for ref, _ in rows]
        self.conv, self.dense, self.bias = (array for _, array in rows)
        self.x = np.random.default_rng(11).standard_normal((1, 3, 8, 8)).astype("float32")

    def tensors(self, path):
        out = []
        text = self.cli.run("show", path, "m0", "--page", "Constants").decode()
        for number in re.findall(r"^ *(\d+) +tensor ", text, re.M):
            file = self.folder / "tensor.npy"
            self.cli.run("extract", path, f"m0/const:{number}", "--npy", "-o", file)
            out.append((f"m0/const:{number}", self.np.load(file)))
        return out

    def run(self, path):
        tvm = self.tvm.tvm
        module = tvm.runtime.load_module(str(path))
        vm = tvm.relax.VirtualMachine(module, tvm.cpu())
        return vm["main"](tvm.runtime.tensor(self.x)).numpy()

    def close(self, path, expected, what):
        got = self.run(path)
        error = float(abs(got - expected).max())
        if not error < 1e-6:
            raise AssertionError(f"{what}: largest difference {error}, {got} instead of {expected}")
        print(f"      {what}: largest difference {error:.1e}")

    def repack(self, name, edits, source=None, *options):
        file = self.folder / "edits.json"
        file.write_text(json.dumps({"schema": "blobscope.edits/1", "file": {}, "edits": edits}))
        out = self.folder / name
        document = self.cli.document("repack", source or self.path, "-o", out, "--edits", file, *options)
        equal(document["verified"], True, "verified")
        return out, document


def check_numbers(report, cli, tvm, folder):
    import numpy as np

    model = Model(cli, tvm, folder)

    def save(name, array):
        np.save(folder / name, array)
        return str(folder / name)

    def unchanged():
        model.close(model.path, reference(model.x, model.conv, model.dense, model.bias), "as exported")

    def constants():
        bias = model.bias + np.array([3, -1, 0, 2, 0.5], "float32")
        conv = -model.conv
        out, document = model.repack("constants.so", [
            {"op": "replace", "ref": model.refs[2], "file": save("bias.npy", bias)},
            {"op": "replace", "ref": model.refs[0], "file": save("conv.npy", conv)}])
        equal(document["strategy"], "in-place", "strategy")
        model.close(out, reference(model.x, conv, model.dense, bias), "edited constants")

    def wrong_shape():
        refused = model.cli.run("repack", model.path, "-o", folder / "no.so", "--json", "--replace",
                                f"{model.refs[2]}={save('wrong.npy', np.zeros(6, 'float32'))}", exit_code=2)
        equal(json.loads(refused)["code"], "REP-TENSOR", "refusal")
        equal((folder / "no.so").exists(), False, "a file after the refusal")

    def bytecode():
        # `mean` gets the result of the convolution instead of relu's, and the register with it is kept.
        listing = cli.run("show", model.path, "m0", "--page", "Bytecode").decode()
        mean, source = re.search(r"^ +(\d+) +call +mean\(%(\d+)", listing, re.M).groups()
        relu = re.search(r"call +relu\(%(\d+), %" + source, listing).group(1)
        freed = [int(n) for n in re.findall(rf"^ +(\d+) +call +%{relu} = vm.builtin.null_value", listing, re.M) if int(n) < int(mean)][-1]
        offsets = struct.unpack("<33q", cli.run("extract", model.path, "m0/field:instruction_offsets", "-o", "-"))
        words = "m0/field:instruction_words[%d]"
        out, _ = model.repack("bytecode.so", [
            {"op": "set", "ref": words % (offsets[int(mean)] + 4), "value": int(relu)},
            {"op": "set", "ref": words % (offsets[freed] + 1), "value": int(source) - 1}])
        model.close(out, reference(model.x, model.conv, model.dense, model.bias, relu=False), "edited bytecode")

    def tree():
        # A device module of five megabytes below the host code: the blob moves, and the model computes the same result.
        payload = os.urandom(5_000_000)
        (folder / "payload.bin").write_bytes(payload)
        lib = next(m["ref"] for m in cli.blob(model.path)["modules"] if m["key"] == "_lib")
        out, document = model.repack("tree.so", [{"op": "add", "id": "new1", "key": "opencl", "file": str(folder / "payload.bin"), "parents": [lib]}],
                                     None, "--force")
        equal(document["strategy"].split("-")[0], "append", "strategy")
        first = len(tvm.given)
        model.close(out, reference(model.x, model.conv, model.dense, model.bias), "with another module")
        equal([kind for kind, _ in tvm.given[first:]], ["opencl"], "modules that the loader made")
        equal(tvm.given[-1][1] == payload, True, "bytes that the loader of 'opencl' was handed")
        loaded = tvm.tvm.runtime.load_module(str(out))
        equal(cli_tree(cli.blob(out)), tvm.loaded_tree(loaded), "import tree")

    def devices():
        # The bytes of kernels as passed to the loader of their kind, after editing, and a tree with other imports.
        for sample, key in (("sample-cuda-a.so", "cuda"), ("sample-opencl.so", "opencl")):
            path = SAMPLES / sample
            blob = cli.blob(path)
            module = next(m for m in blob["modules"] if m["key"] == key)
            kernel = module["functions"][0]
            out, _ = model.repack(f"device-{key}.so", [  # a separate name: a loaded library is not loaded again
                {"op": "set", "ref": f"{module['ref']}/field:fmap[0].info.launch_param_tags", "value": ["blockIdx.x", "blockIdx.y", "threadIdx.x"]},
                {"op": "rename", "ref": f"{module['ref']}/kernel:{kernel}", "name": "renamed_" + "k" * 2000},
                {"op": "relink", "ref": "m0", "imports": [m["ref"] for m in blob["modules"][1:]]},
                {"op": "relink", "ref": next(m["ref"] for m in blob["modules"] if m["key"] == "_lib"), "imports": []}], path)
            loaded, given = tvm.load(out)
            equal(given, [(key, cli.payload(out, module["ref"]))], "what the loader was handed")
            equal(b"k" * 2000 in given[0][1], True, "the new name is in it")
            equal(cli_tree(cli.blob(out)), tvm.loaded_tree(loaded), "import tree")

    def exported():
        out, folder_ = folder / "imported.so", folder / "exported"
        cli.run("export", model.path, folder_)
        cli.run("import", folder_, "-o", out)
        equal(out.read_bytes() == model.path.read_bytes(), True, "export and import without a change give the same file")
        bias = next(p for p in folder_.rglob("*.npy") if np.load(p).shape == (5,))
        np.save(bias, np.load(bias) * 2)
        cli.run("import", folder_, "-o", out)
        model.close(out, reference(model.x, model.conv, model.dense, model.bias * 2), "after export, change, import")

    for name, check in (("as exported", unchanged), ("constants", constants), ("a tensor of another shape is refused", wrong_shape),
                        ("bytecode", bytecode), ("a module more", tree), ("kernels and imports", devices), ("export and import", exported)):
        report.check(f"TVM computes: {name}", check)


# --- 4. Kills and full disks. -----------------------------------------------------------------------------------------


def check_accidents(report, cli, folder):
    def killed():
        """The target is the whole old or the whole new file, and the next run leaves nothing else."""
        work = folder / "killed"
        work.mkdir()
        target, blob = work / "library.so", folder / "huge.bin"
        blob.write_bytes(valid(30_000_000))
        old = (SAMPLES / "sample-cpu.so").read_bytes()
        command = [cli.program, "repack", str(target), "-o", str(target), "--replace", f"blob={blob}"]
        target.write_bytes(old)
        start = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        whole, new = time.monotonic() - start, target.read_bytes()
        seen, rng = {"old": 0, "new": 0}, random.Random(1)
        for _ in range(60):
            target.write_bytes(old)
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * whole * 1.1)
            process.send_signal(signal.SIGKILL)
            process.wait()
            now = target.read_bytes()
            equal(now in (old, new), True, "the target is whole")
            seen["new" if now == new else "old"] += 1
        subprocess.run(command, check=True, capture_output=True)
        equal(sorted(path.name for path in work.iterdir()), ["library.so"], "files in the folder")
        print(f"      60 kills: {seen['old']} times the old file, {seen['new']} times the new one")

    def full():
        import resource

        work = folder / "full"
        work.mkdir()
        blob = folder / "large.bin"
        blob.write_bytes(valid(3_000_000))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        run = subprocess.run([cli.program, "repack", str(SAMPLES / "sample-cpu.so"), "-o", str(work / "out.so"), "--json", "--replace", f"blob={blob}"],
                             capture_output=True, preexec_fn=limit, restore_signals=False)
        equal(run.returncode, 2, "exit code")
        equal(json.loads(run.stdout)["code"], "FILE-WRITE", "message")
        equal(list(work.iterdir()), [], "files in the folder")

    report.check("killed at any time", killed)
    report.check("no room for the file", full)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report("test_repack")
    cli = Cli(str(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        check_system(report, cli, folder)
        check_corpus(report, cli, folder)
        check_accidents(report, cli, folder)
        try:
            import tvm
            import tvm.relax
            import tvm_ffi
        except ModuleNotFoundError as problem:
            if not problem.name or problem.name.split(".")[0] not in ("tvm", "tvm_ffi"):
                raise
            report.skip("TVM computes", "apache-tvm is not installed")
        else:
            check_numbers(report, cli, Tvm(tvm, tvm_ffi), folder)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
