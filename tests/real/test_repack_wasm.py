#!/usr/bin/env python3
"""WebAssembly modules and objects repacked by blobscope-cli, linked and run.

    test_repack_wasm.py BLOBSCOPE_CLI

clang and wasm-ld make the inputs. Blobs of several sizes are written to them in turn; node instantiates the modules, runs
their constructors and lets their allocators use the memory around the blob, and wasm-validate checks them. Checks that
need these two are skipped without them. Modules of the corpus (BLOBSCOPE_CORPUS) are repacked and run too, if available.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_repack_wasm.xml (JUnit) when that is set, and exits with 1 when a
check failed.
"""
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_repack import CORPUS, blobs_of, stream  # noqa: E402
from test_repack_pe import SYMBOL, fitted, replaced, run  # noqa: E402
from test_tvm_runtime import Cli, Report, equal  # noqa: E402

NODE = shutil.which("node")


def holed(size, seed=3):
    """Like valid(), with runs of zeros."""
    rng, out = random.Random(seed), b""
    while len(out) < size - 80:
        out += rng.randbytes(rng.randrange(1, 200)) + bytes(rng.choice((3, 8, 9, 20, 1000)))
    return stream([("example", out[:size - 80])])


# The constructor registers the blob by its name, like TVM's system libraries. `allocate` is an allocator like the one
# of Emscripten: one word gives the start of free memory.
WASM_C = r"""
extern unsigned char __heap_base;
extern void TVMFFIEnvModRegisterSystemLibSymbol(const char* name, const void* place);
extern const unsigned char __tvm_ffi__library_bin[];
static unsigned char* free_memory = &__heap_base;
static const char words[] = "data in front";
unsigned char zeros[30000];
__attribute__((constructor)) static void init(void) { TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi__library_bin", __tvm_ffi__library_bin); }
__attribute__((export_name("allocate"))) void* allocate(unsigned size) {
  unsigned char* place = free_memory;
  unsigned need = ((unsigned)place + size + 65535) / 65536, have = __builtin_wasm_memory_size(0);
  if (need > have && __builtin_wasm_memory_grow(0, need - have) == -1) return 0;
  free_memory = place + (size + 15) / 16 * 16;
  return place;
}
__attribute__((export_name("word"))) int word(int i) { return words[i] + zeros[i]; }
"""
BLOB_ASM = """
.section {section},"",@
.globl __tvm_ffi__library_bin
.type __tvm_ffi__library_bin,@object
__tvm_ffi__library_bin: .incbin "{blob}"
.size __tvm_ffi__library_bin, {size}
{behind}
"""
NODE_JS = r"""
const fs = require("fs");
const [file, payload, mode] = process.argv.slice(2);
const wanted = fs.readFileSync(payload);
const compiled = new WebAssembly.Module(fs.readFileSync(file)), places = [], registered = [];
const imports = {};
for (const entry of WebAssembly.Module.imports(compiled)) {
  imports[entry.module] ??= {};
  imports[entry.module][entry.name] = entry.kind === "function" ? (...a) => { if (/RegisterSystemLib/.test(entry.name)) registered.push(a); return 0; }
                                                              : new WebAssembly.Global({value: "i32", mutable: false}, 0);
}
const made = new WebAssembly.Instance(compiled, imports).exports;
(made.__wasm_call_ctors ?? made._initialize ?? (() => {}))();
const global = made[mode];
if (global) places.push(global.value);
const bytes = () => Buffer.from(made.memory.buffer);
for (const [name, place] of registered) if (/(mblob|library_bin)$/.test(bytes().toString("latin1", name, bytes().indexOf(0, name)))) places.push(place);
// A runtime that is linked in keeps what is registered for itself.
if (registered.length === 0 && !global) places.push(bytes().indexOf(wanted));
if (places.length === 0 || places.includes(-1)) throw Error("nothing was registered");
const allocate = made.allocate ?? made.TVMWasmAllocSpace;
const right = (when) => {
  for (const place of places) if (Buffer.compare(Buffer.from(made.memory.buffer, place, wanted.length), wanted)) throw Error(`other bytes at ${place} ${when}`);
};
right("at the start");
if (allocate) {
  for (let i = 0, total = 0; total < 200e6; ++i) {
    const size = i % 7 === 0 ? 1000003 : 4099, at = allocate(size);
    if (!at) throw Error("no memory");
    new Uint8Array(made.memory.buffer, at, size).fill(0xa5);
    total += size * 10;
  }
  right("after allocations");
  if (made.word && made.word(0) !== 100) throw Error("the data in front of it");
}
if (made.__heap_base && made.__heap_end) {
  new Uint8Array(made.memory.buffer, made.__heap_base.value, made.__heap_end.value - made.__heap_base.value).fill(0xa5);
  right("after free memory was used");
}
"""


def packed(module):
    """The module with its data segments split at runs of zeros, as optimisers do."""
    def number(at):
        value = shift = 0
        while True:
            byte = module[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at

    def leb(value):
        out = b""
        while value > 127:
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value])

    def sleb(value):
        out = b""
        while not -64 <= value < 64:
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value & 127])

    out, at = module[:8], 8
    while at < len(module):
        kind = module[at]
        size, start = number(at + 1)
        content = module[start:start + size]
        if kind == 11:
            count, place = number(start)
            segments = []
            for _ in range(count):
                assert module[place] == 0 and module[place + 1] == 0x41
                address, place = number(place + 2)  # below 2^31 and positive: the last byte has no sign
                length, place = number(place + 1)
                data, i = module[place:place + length], 0
                while i < length:
                    end = data.find(bytes(9), i)
                    end = length if end < 0 else end
                    if end > i:
                        segments.append((address + i, data[i:end]))
                    i = end
                    while i < length and data[i] == 0:
                        i += 1
                place += length
            content = leb(len(segments)) + b"".join(b"\0\x41" + sleb(a) + b"\x0b" + leb(len(d)) + d for a, d in segments)
        if kind != 0 and kind != 12:
            out += bytes([kind]) + leb(len(content)) + content
        at = start + size
    return out


def build_modules(folder, blob):
    (folder / "module.bin").write_bytes(blob)
    code, data = folder / "module.c", folder / "module.s"
    code.write_text(WASM_C)
    data.write_text(BLOB_ASM.format(section=".rodata.blob", blob=folder / "module.bin", size=len(blob), behind=""))
    run("clang-19", "--target=wasm32", "-c", data, "-o", folder / "blob.o")
    for level in ("-O0", "-O2"):
        run("clang-19", "--target=wasm32", "-nostdlib", "-ffreestanding", "-mbulk-memory", level, "-c", code, "-o", folder / f"code{level}.o")
    link = ["wasm-ld-19", "--no-entry", "--allow-undefined", "--export=__wasm_call_ctors", folder / "blob.o"]
    for name, objects, options in (("optimised", "code-O2.o", ()), ("not optimised", "code-O0.o", ()),
                                   ("compressed numbers", "code-O2.o", ("--compress-relocations", "--strip-all")),
                                   ("exported", "code-O2.o", (f"--export={SYMBOL}",))):
        out = folder / f"{name.replace(' ', '-')}.wasm"
        run(*link, folder / objects, "-o", out, "--no-stack-first" if stack_option() else "--no-gc-sections", *options)
        yield name, out
    out = folder / "packed.wasm"
    out.write_bytes(packed((folder / "compressed-numbers.wasm").read_bytes()))
    yield "packed", out


def stack_option():
    return b"no-stack-first" in subprocess.run(["wasm-ld-19", "--help"], capture_output=True).stdout


def validate(path):
    if shutil.which("wasm-validate"):
        run("wasm-validate", path)


def check_modules(report, cli, folder):
    original = holed(3_000)
    modules = report.check("wasm: the inputs are linked", lambda: list(build_modules(folder, original)))
    if not modules:
        return
    (folder / "check.cjs").write_text(NODE_JS)
    instantiate = (lambda path, payload, name=SYMBOL: run(NODE, folder / "check.cjs", path, payload, name)) if NODE else (lambda *_: None)
    huge = holed(5_000_000)

    def steps(name, path, symbol, sizes, *options):
        strategies = []
        for label, start, blob in sizes:
            out = folder / f"{path.stem}-{label}.wasm"
            source = folder / f"{path.stem}-{start}.wasm" if start else path
            strategies.append(replaced(cli, source, blob, out, *options)["strategy"])
            validate(out)
            instantiate(out, out.with_suffix(".payload"), symbol)
        back, first = ((folder / f"{path.stem}-{label}.wasm").read_bytes() for label in ("back", "larger"))
        equal(back == first, True, "there and back gives the same file")
        print(f"      {name}: {', '.join(strategies)}")
        return strategies

    larger = holed(60_000)
    sizes = [("same", None, b""), ("small", None, holed(900)), ("larger", None, larger), ("huge", "larger", huge), ("back", "huge", larger),
             ("other", "back", holed(7_000))]
    for name, path in modules:
        def modified(name=name, path=path):
            strategies = steps(name, path, SYMBOL, [(a, b, fitted(original) if a == "same" else c) for a, b, c in sizes])
            equal(strategies[2:], ["append-memory", "resize", "resize", "resize"], "strategies")

        report.check(f"wasm, {name}: same, smaller, larger, huge, back", modified)

    for path in sorted(CORPUS.glob("*.wasm")) if CORPUS.is_dir() else []:
        def real(path=path):
            shutil.copy(path, folder / path.name)
            copy, document = folder / path.name, cli.document("tree", path)
            blob = next(blobs_of(document))
            data = cli.run("extract", path, "blob", "-o", "-")
            larger = stream([("example", data)])
            steps(path.name, copy, blob["prefix"] + blob["carrier"],
                  [("same", None, data), ("larger", None, larger), ("huge", "larger", huge), ("back", "huge", larger)])

        report.check(f"wasm: {path.name}", real)
    if not NODE:
        report.skip("wasm: instantiated and run", "node is not installed")

    # Objects: alone in their segment, followed by other data, linked again.
    for name, behind in (("alone", ""), ("with data behind it", ".globl other\n.type other,@object\nother: .int32 0x600df00d\n.size other, 4\n")):
        def objects(name=name, behind=behind):
            stem = f"object-{len(behind)}"
            (folder / "module.bin").write_bytes(original)
            source = folder / f"{stem}.s"
            source.write_text(BLOB_ASM.format(section=".rodata.blob", blob=folder / "module.bin", size=len(original), behind=behind) +
                              f'.section .data.table,"",@\n.globl table\n.type table,@object\ntable: .int32 {SYMBOL}\n.int32 {SYMBOL}+8\n.size table, 8\n')
            run("clang-19", "--target=wasm32", "-c", source, "-o", folder / f"{stem}.wasm")
            strategies = []
            for label, start, blob in (("larger", None, larger), ("huge", "larger", huge), ("back", "huge", larger), ("small", "back", holed(900))):
                out = folder / f"{stem}-{label}.wasm"
                strategies.append(replaced(cli, folder / (f"{stem}-{start}.wasm" if start else f"{stem}.wasm"), blob, out)["strategy"])
                equal(run("llvm-objdump-19", "-h", "-r", "-t", out).stderr, b"", "complaints of llvm-objdump")
                module = out.with_name(f"{stem}-{label}-linked.wasm")
                run("wasm-ld-19", "--no-entry", "--allow-undefined", "--export=__wasm_call_ctors", "--export=table",
                    f"--export={SYMBOL}", out, folder / "code-O2.o", "-o", module)
                validate(module)
                instantiate(module, out.with_suffix(".payload"))
                equal(cli.run("extract", module, "blob", "-o", "-") == blob, True, "the blob in the linked module")
            equal((folder / f"{stem}-back.wasm").read_bytes() == (folder / f"{stem}-larger.wasm").read_bytes(), True, "there and back gives the same file")
            equal(strategies, ["append-segment" if behind else "resize", "resize", "resize", "resize"], "strategies")

        report.check(f"wasm object, {name}", objects)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report("test_repack_wasm")
    missing = [tool for tool in ("clang-19", "wasm-ld-19") if not shutil.which(tool)]
    if missing:
        report.skip("WebAssembly", f"{missing[0]} is not installed")
    else:
        cli = Cli(str(Path(sys.argv[1]).resolve()))
        with tempfile.TemporaryDirectory() as temporary:
            check_modules(report, cli, Path(temporary))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
