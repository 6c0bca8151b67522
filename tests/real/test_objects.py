#!/usr/bin/env python3
"""Object files repacked by blobscope-cli, compared with the compiler's output for the new blob, linked and run.

    test_objects.py BLOBSCOPE_CLI

clang compiles objects of several shapes for seven processors. Where relocations contain the addends (RELA), an object
with a blob of another size equals, byte for byte, the compiler's output for that blob; elsewhere lld links the objects,
and the bytes at all symbols and pointers are the expected ones. Constructors run in a shared library of this machine and
under qemu-aarch64. Names that two objects define are those that ld and lld report. The object files of the corpus (BLOBSCOPE_CORPUS) are tested in the same way, if available.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_objects.xml (JUnit) when that is set, and exits with 1 when a
check failed.
"""
import ctypes
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_repack import CORPUS, blobs_of, stream, valid  # noqa: E402
from test_tvm_runtime import Cli, Report, equal  # noqa: E402

CLANG, LLD = shutil.which("clang-19"), shutil.which("ld.lld-19")

# Like TVM's system libraries: the constructor registers the blob by its name, a string after the blob in the same
# section. `pointers` references everything by data relocations, `sum` and `choose` by code.
SOURCE = r"""
int TVMBackendRegisterSystemLibSymbol(const char*, void*);
static const char front[] PLACED = "in front of the blob";
BLOB_PREFIX const unsigned char __tvm_dev_mblob[] PLACED = {
#embed BLOB_FILE
};
static const char name[] PLACED = "__tvm_dev_mblob";
static const TABLE_TYPE table[] PLACED = {0x11, 0x22, 0x33, 0x44, 0x55};
extern const char other[] PLACED = "another symbol";
extern const void* const pointers[] = {__tvm_dev_mblob, front, name, table, &table[3], other};
static int reg_;
__attribute__((constructor)) static void init(void) { reg_ = TVMBackendRegisterSystemLibSymbol(name, (void*)__tvm_dev_mblob); }
int sum(int from) { int s = reg_; for (int i = from; i < 5; ++i) s += (int)table[i]; return s; }
const char* words(int i) { return i ? name : front; }
int choose(int i) {
  switch (i) { case 0: return sum(3); case 1: return 77; case 2: return words(0)[i]; case 3: return -9; case 4: return words(1)[i]; case 5: return 1234; }
  return 0;
}
"""
REGISTER = r"""
#include <stdio.h>
static char names[4][64]; static void* places[4]; static int count;
int TVMBackendRegisterSystemLibSymbol(const char* name, void* place) {
  if (count < 4) { snprintf(names[count], 64, "%s", name); places[count++] = place; }
  return 0;
}
int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* place) { return TVMBackendRegisterSystemLibSymbol(name, place); }
const char* registered_name(int i) { return names[i]; }
void* registered_place(int i) { return places[i]; }
int registered_count(void) { return count; }
"""
MAIN = r"""
#include <string.h>
#include <stdlib.h>
const char* registered_name(int); void* registered_place(int); int registered_count(void);
int main(int argc, char** argv) {
  FILE* file = fopen(argv[1], "rb");
  fseek(file, 0, SEEK_END);
  size_t size = ftell(file);
  rewind(file);
  unsigned char* wanted = malloc(size);
  if (fread(wanted, 1, size, file) != size) return 3;
  for (int i = 0; i < registered_count(); ++i)
    if (!strcmp(registered_name(i), argv[2])) return memcmp(registered_place(i), wanted, size) ? 4 : 0;
  return 5;
}
"""
# Every form of a definition, twice: compiled with NUMBER 1 and 2.
CLASHES = r"""
#define TEXT(x) #x
#define NUMBERED(x) TEXT(x)
extern "C" {
int strong_function(void) { return NUMBER; }
int strong_data = NUMBER;
const int strong_constant[2] = {NUMBER, 3};
__thread int strong_thread_data = NUMBER;
__attribute__((visibility("hidden"))) int hidden_function(void) { return NUMBER; }
static int local_function(void) { return NUMBER; }
int (*const volatile use_local)(void) = local_function;
__attribute__((weak)) int weak_function(void) { return NUMBER; }
__attribute__((weak)) int weak_data = NUMBER;
#if NUMBER == 1
__attribute__((weak))
#endif
int weak_once(void) { return NUMBER; }
}
inline int inline_function(int a) { return a + 5; }
template <class T> T of_template(T a) { return a + 6; }
template int of_template<int>(int);
int overloaded(double a) { return (int)a + NUMBER; }
int use_inline(int a) { return inline_function(a); }
namespace { int in_no_name(int a) { return a + NUMBER; } }
int (*volatile use_in_no_name)(int) = in_no_name;
asm(".comm common_data,4,4");
#if NUMBER == 1
asm(".comm common_and_strong,4,4");
#else
extern "C" int common_and_strong = 8;
#endif
asm(".globl same_number\n.set same_number, 7\n.globl other_number\n.set other_number, " NUMBERED(NUMBER));
asm(".section .text.grouped,\"axG\",@progbits,signature,comdat\n.globl grouped\ngrouped: ret\n.text");
#if NUMBER == 1
asm(".section .text.once,\"axG\",@progbits,one_signature,comdat\n.globl other_groups\nother_groups: ret\n.text");
#else
asm(".section .text.once,\"axG\",@progbits,two_signature,comdat\n.globl other_groups\nother_groups: ret\n.text");
#endif
"""
# Processor, options, whether relocations contain their addends.
TARGETS = [("x86_64", [], True), ("aarch64", [], True), ("i386", [], False), ("armv7", ["-mthumb"], False), ("armv7", ["-marm"], False),
           ("powerpc64", ["-mabi=elfv2"], True), ("s390x", [], True), ("riscv64", [], True)]
# Name, options, type of the table for `struct`, whether the blob is alone in its section, whether the compiler derives
# only its bytes from its size: debug information contains the size too, and data that is aligned one by one moves by
# the alignment of the whole section.
SHAPES = [("as TVM", ["-DPLACED=__attribute__((aligned(1)))", "-DTABLE_TYPE=signed char", "-fno-jump-tables"], "b", False, True),
          ("aligned", ["-DPLACED=__attribute__((aligned(64)))", "-DTABLE_TYPE=long long"], "q", False, True),
          ("mixed", [], "i", False, False), ("debug", ["-g"], "i", False, False),
          ("sections", ["-ffunction-sections", "-fdata-sections"], "i", True, True),
          ("group", ["-xc++", "-std=c++17", "-DGROUP"], "i", True, True)]
SIZES = (700, 90_003, 300)
# Processors that all shapes are tested with; the others get only the first two.
ALL_SHAPES = ("x86_64", "aarch64", "i386")


class Elf:
    """Reads the output of a linker independently, for either class and byte order."""

    def __init__(self, path):
        data = self.data = Path(path).read_bytes()
        self.wide, self.order = data[4] == 2, "<" if data[5] == 1 else ">"
        word = "Q" if self.wide else "I"
        programs, sections = self.at(32 if self.wide else 28, word + word)
        program_size, program_count, section_size, section_count = self.at(54 if self.wide else 42, "4H")
        self.loads, self.symbols = [], {}
        for i in range(program_count):
            if self.wide:
                kind, _, offset, address, _, size = self.at(programs + i * program_size, "IIQQQQ")
            else:
                kind, offset, address, _, size = self.at(programs + i * program_size, "5I")
            if kind == 1:
                self.loads.append((address, offset, size))
        headers = [self.at(sections + i * section_size, "IIQQQQIIQQ" if self.wide else "10I") for i in range(section_count)]
        for header in headers:
            if header[1] != 2:
                continue
            names, size = headers[header[6]][4], 24 if self.wide else 16
            for at in range(header[4], header[4] + header[5], size):
                if self.wide:
                    name, _, _, _, value, length = self.at(at, "IBBHQQ")
                else:
                    name, value, length = self.at(at, "III")
                self.symbols[data[names + name:data.index(0, names + name)].decode()] = (value, length)

    def at(self, offset, form):
        return struct.unpack_from(self.order + form, self.data, offset)

    def bytes(self, address, size):
        for start, offset, length in self.loads:
            if start <= address and address + size <= start + length:
                return self.data[offset + address - start:offset + address - start + size]
        raise AssertionError(f"address {address:#x} is not loaded")

    def words(self, address, count):
        size = 8 if self.wide else 4
        return struct.unpack(self.order + ("Q" if self.wide else "I") * count, self.bytes(address, size * count))


def compile_object(folder, target, options, blob, out):
    (folder / "embedded.bin").write_bytes(blob)
    source = folder / "shape.c"
    source.write_text('#ifdef GROUP\n#define BLOB_PREFIX inline\nextern "C" {\n#else\n#define BLOB_PREFIX\n#endif\n'
                      "#ifndef PLACED\n#define PLACED\n#endif\n#ifndef TABLE_TYPE\n#define TABLE_TYPE int\n#endif\n"
                      + SOURCE + "#ifdef GROUP\n}\n#endif\n")
    subprocess.run([CLANG, f"--target={target}-linux-gnu", "-O1", "-fPIC", "-Wno-everything", f'-DBLOB_FILE="{folder}/embedded.bin"', *options,
                    "-c", source, "-o", out], check=True, capture_output=True)


def check_linked(folder, file, blob, table_type):
    """The targets of all pointers and symbols of the object, in a program linked by lld."""
    out = folder / "linked"
    subprocess.run([LLD, "-static", "--unresolved-symbols=ignore-all", "-e", "0", file, "-o", out], check=True, capture_output=True)
    elf = Elf(out)
    place, size = elf.symbols["__tvm_dev_mblob"]
    equal(size, len(blob), "size of the symbol")
    equal(elf.bytes(place, size) == blob, True, "bytes at the symbol")
    pointers = elf.words(elf.symbols["pointers"][0], 6)
    equal(pointers[0], place, "the pointer to the blob")
    for pointer, text in ((pointers[1], b"in front of the blob\0"), (pointers[2], b"__tvm_dev_mblob\0"), (pointers[5], b"another symbol\0")):
        equal(elf.bytes(pointer, len(text)), text, "what a pointer leads to")
    table = struct.pack(elf.order + "5" + table_type, 0x11, 0x22, 0x33, 0x44, 0x55)
    equal(elf.bytes(pointers[3], len(table)), table, "the table")
    equal(pointers[4] - pointers[3], len(table) // 5 * 3, "a pointer into the table")
    equal(pointers[3] % (64 if table_type == "q" else len(table) // 5), 0, "alignment of the table")


class Repacked:
    """Replaces the blobs of objects."""

    def __init__(self, cli, folder):
        self.cli, self.folder = cli, folder

    def put(self, source, blob, out, *options):
        (self.folder / "new.bin").write_bytes(blob)
        document = self.cli.document("repack", source, "-o", out, "--replace", f"blob={self.folder / 'new.bin'}", *options)
        equal(document["verified"], True, "verified")
        return document["strategy"]


def check_compiled(report, cli, folder):
    repacked = Repacked(cli, folder)
    old = valid(601)
    for target, machine, with_addends in TARGETS:
        for shape, options, table, alone, exact in SHAPES if target in ALL_SHAPES else SHAPES[:2]:
            def edits(target=target, options=[*machine, *options], splices=with_addends or alone, exact=exact, table=table):
                first, edited, compiled = folder / "first.o", folder / "edited.o", folder / "compiled.o"
                compile_object(folder, target, options, old, first)
                check_linked(folder, first, old, table)
                strategies, source = [], first
                for size in SIZES:
                    blob = valid(size)
                    strategies.append(repacked.put(source, blob, edited))
                    if splices:
                        equal(strategies[-1], "resize", "strategy")
                    if splices and exact:
                        compile_object(folder, target, options, blob, compiled)
                        equal(edited.read_bytes() == compiled.read_bytes(), True, f"the file that the compiler makes of {len(blob)} bytes")
                    check_linked(folder, edited, blob, table)
                    source = shutil.copy(edited, folder / "source.o")
                repacked.put(source, old, edited)
                if splices:
                    equal(edited.read_bytes() == first.read_bytes(), True, "the way back leads to the first file")
                # The result depends only on the last blob, when all are larger than the first.
                a, b, c = (folder / f"{letter}.o" for letter in "abc")
                repacked.put(first, valid(5_001), a)
                repacked.put(a, valid(70_007), b)
                repacked.put(b, valid(5_001), c)
                equal(a.read_bytes() == c.read_bytes(), True, "there and back")
                return ", ".join(strategies)

            name = f"{target} {' '.join(machine)}".strip()
            strategies = report.check(f"{name}, {shape}: blobs of {', '.join(f'{s:,}' for s in SIZES)} bytes", edits)
            if strategies:
                print(f"      {strategies}")


def check_this_machine(report, cli, folder):
    if not shutil.which("gcc") or platform.machine() != "x86_64":
        return report.skip("run here", "no gcc for x86-64")
    repacked = Repacked(cli, folder)
    register = folder / "register.c"
    register.write_text(REGISTER)

    def runs(name, options, compiler):
        first, edited, library = folder / f"{name}.o", folder / f"{name}-edited.o", folder / f"{name}.so"
        blob = valid(5_000_000)
        (folder / "embedded.bin").write_bytes(valid(601))
        compile_object(folder, "x86_64", options, valid(601), first)
        repacked.put(first, blob, edited)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, edited, register], check=True, capture_output=True)
        loaded = ctypes.CDLL(str(library))
        loaded.registered_name.restype = ctypes.c_char_p
        loaded.registered_place.restype = loaded.words.restype = ctypes.c_void_p
        equal(loaded.registered_count(), 1, "registrations")
        equal(loaded.registered_name(0), b"__tvm_dev_mblob", "registered name")
        equal(loaded.registered_place(0), ctypes.addressof(ctypes.c_char.in_dll(loaded, "__tvm_dev_mblob")), "registered pointer")
        equal(ctypes.string_at(loaded.registered_place(0), len(blob)) == blob, True, "registered bytes")
        equal([loaded.sum(i) for i in range(5)], [0xff, 0xee, 0xcc, 0x99, 0x55], "sums of the table")
        equal([loaded.choose(i) for i in range(7)], [0x99, 77, ord(" "), -9, ord("m"), 1234, 0], "the jump table")
        equal(ctypes.string_at(loaded.words(0)), b"in front of the blob", "the string in front")
        equal(ctypes.string_at(loaded.words(1)), b"__tvm_dev_mblob", "the string behind")

    for number, (shape, options, *_) in enumerate(SHAPES):
        report.check(f"run here, {shape}: code finds everything", lambda: runs(f"here-{number}", options, "gcc"))


def run_with(folder, compiler, runner, objects, blob_file, name):
    program, source = folder / "program", folder / "main.c"
    source.write_text(REGISTER + MAIN)
    subprocess.run([compiler, "-o", program, source, *objects, "-lm"], check=True, capture_output=True)
    run = subprocess.run([*runner, program, blob_file, name], capture_output=True, timeout=60)
    equal(run.returncode, 0, f"what the constructor registered as {name} ({run.stderr.decode()})")


def emulator():
    cross, qemu = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
    return (cross, (qemu, "-L", "/usr/aarch64-linux-gnu")) if cross and qemu else None


def check_emulated(report, cli, folder):
    if not emulator():
        return report.skip("aarch64 run", "no cross compiler or qemu-user")
    repacked = Repacked(cli, folder)

    def runs(options):
        compile_object(folder, "aarch64", options, valid(601), folder / "first.o")
        repacked.put(folder / "first.o", valid(5_000_000), folder / "edited.o")
        run_with(folder, *emulator(), [folder / "edited.o"], folder / "new.bin", "__tvm_dev_mblob")

    for shape, options, *_ in SHAPES:
        report.check(f"aarch64 run, {shape}: the constructor registers the new blob", lambda: runs(options))


def check_archives(report, cli, folder):
    """Repacked archives equal the tool's archive of the new object; linkers find it by their symbol tables."""
    makers = [("GNU ar", ["ar", "rcsD"]), ("llvm-ar, GNU", ["llvm-ar-19", "--format=gnu", "rcsD"]), ("llvm-ar, BSD", ["llvm-ar-19", "--format=bsd", "rcsD"]),
              ("llvm-ar, Darwin", ["llvm-ar-19", "--format=darwin", "rcsD"]), ("llvm-ar, COFF", ["llvm-ar-19", "--format=coff", "rcsD"])]
    repacked = Repacked(cli, folder)
    first, second, other = folder / "a_name_longer_than_sixteen_devc.o", folder / "second.o", folder / "other.o"
    for number, (name, command) in enumerate(makers):
        if not shutil.which(command[0]):
            report.skip(name, f"{command[0]} is not installed")
            continue

        def edits(number=number, command=command):
            compile_object(folder, "x86_64", [], valid(601), first)
            for extra, symbol in ((second, "second"), (other, "other_one")):
                (folder / "extra.c").write_text(f"int {symbol}(void) {{ return {number}; }}\n")
                subprocess.run([CLANG, "--target=x86_64-linux-gnu", "-c", folder / "extra.c", "-o", extra], check=True)
            made = []
            for blob in (valid(601), valid(70_003), valid(302)):
                repacked.put(first, blob, folder / "edited.o")
                shutil.move(folder / "edited.o", first)
                made.append(folder / f"lib{len(made)}.a")
                made[-1].unlink(missing_ok=True)
                subprocess.run([*command, made[-1], second, first, other], check=True, capture_output=True)
            ref = next(b for m in cli.document("tree", made[0])["members"] for b in blobs_of(m))["ref"]
            out = folder / "out.a"
            for source, wanted, blob in ((0, 1, valid(70_003)), (1, 2, valid(302)), (2, 0, valid(601)), (0, 2, valid(302))):
                (folder / "new.bin").write_bytes(blob)
                cli.document("repack", made[source], "-o", out, "--replace", f"{ref}={folder / 'new.bin'}")
                equal(out.read_bytes() == made[wanted].read_bytes(), True, f"the archive that the tool makes with {len(blob)} bytes")
            asked = ["-e", "0", "-u", "__tvm_dev_mblob", "-u", "other_one"]
            subprocess.run([LLD, "-static", "--unresolved-symbols=ignore-all", *asked, out, "-o", folder / "linked"], check=True, capture_output=True)
            elf = Elf(folder / "linked")
            taken = elf.bytes(elf.symbols["__tvm_dev_mblob"][0], len(blob)) == blob and "other_one" in elf.symbols
            equal(taken, True, "what the linker takes from it")

        report.check(f"{name}: the archive that the tool makes", edits)


def duplicates_of(command):
    """The names that a linker reports as defined twice."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return sorted(set(re.findall(r"multiple definition of `([^']+)'", run.stderr) + re.findall(r"duplicate symbol: (\S+)", run.stderr)))


def names_in(document):
    return sorted(name for finding in document["findings"] if finding["rule"] == "FILE-DUPLICATE" for name in finding["names"])


def check_clashes(report, cli, folder):
    """Names that are defined twice: what linkers say, and what check says."""
    linkers = {"ld": [shutil.which("ld"), "--no-demangle"], "lld": [LLD, "--no-demangle", "--error-limit=0"]}
    linkers = {name: command for name, command in linkers.items() if command[0]}
    objects = [folder / "clash1.o", folder / "clash2.o"]
    source, library = folder / "clash.cpp", folder / "libclash.a"
    source.write_text(CLASHES)
    for number, out in enumerate(objects, 1):
        subprocess.run([CLANG, "--target=x86_64-linux-gnu", "-std=c++17", "-fPIC", "-O1", "-Wno-everything", f"-DNUMBER={number}", "-c", source, "-o", out],
                       check=True, capture_output=True)
    library.unlink(missing_ok=True)
    subprocess.run(["ar", "rcsD", library, *objects], check=True, capture_output=True)
    said = names_in(cli.document("check", objects[0], "--with", objects[1], exit_code=1))

    def compare(linker, options):
        found = duplicates_of([*linkers[linker], *options, "-o", folder / "linked.out"])
        equal(found, said, "the names that the linker reports, and that check reports")
        equal("strong_function" in found and "inline_function" not in found, True, "what is among them")

    for linker in linkers:
        report.check(f"{linker}: names defined twice, as a shared library", lambda linker=linker: compare(linker, ["-shared", *objects]))
        report.check(f"{linker}: names defined twice, as an object", lambda linker=linker: compare(linker, ["-r", *objects]))
        report.check(f"{linker}: names defined twice, whole archive", lambda linker=linker: compare(linker, ["-shared", "--whole-archive", library]))
    report.check("check: members of an archive", lambda: equal(names_in(cli.document("check", library, exit_code=1)), said, "names"))


def check_corpus(report, cli, folder):
    """Exported archives of object files: a blob of 5 MB, all other members unchanged, linked and run."""
    if not CORPUS.is_dir():
        return report.skip("corpus", "corpus absent")
    for path in sorted(CORPUS.glob("*.tar")):
        before = {m.name: tarfile.open(path).extractfile(m).read() for m in tarfile.open(path) if m.isfile()}
        holders = [name for name in before if before[name][:4] == b"\x7fELF" and name.endswith("devc.o")]
        if not holders:
            continue

        def runs(path=path, before=before, holder=holders[0]):
            out, blob_file = folder / "edited.tar", folder / "new.bin"
            document = next(b for m in cli.document("tree", path)["members"] for b in blobs_of(m))
            blob = stream([("_lib", b""), ("example", valid(5_000_000))])
            blob_file.write_bytes(blob)
            result = cli.document("repack", path, "-o", out, "--replace", f"{document['ref']}={blob_file}")
            equal((result["verified"], result["strategy"]), (True, "resize"), "result")
            after = {m.name: tarfile.open(out).extractfile(m).read() for m in tarfile.open(out) if m.isfile()}
            equal(list(after), list(before), "members")
            equal([name for name in before if after[name] != before[name]], [holder], "members that differ")
            (folder / "devc.o").write_bytes(after[holder])
            machine = struct.unpack_from("<H", after[holder], 18)[0]
            runner = ("gcc", ()) if machine == 62 and platform.machine() == "x86_64" else emulator() if machine == 183 else None
            equal(runner is not None, True, "a way to run it")
            run_with(folder, *runner, [folder / "devc.o"], blob_file, document["prefix"] + document["carrier"])
            # Going back gives the original object.
            blob_file.write_bytes(cli.run("extract", path, document["ref"], "-o", "-"))
            cli.document("repack", out, "-o", folder / "back.tar", "--replace", f"{document['ref']}={blob_file}")
            back = tarfile.open(folder / "back.tar").extractfile(holder).read()
            equal(back == before[holder], True, "the object after the way back")

        report.check(f"{path.name}: linked and run with a blob of 5 MB", runs)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report("test_objects")
    cli = Cli(str(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if CLANG and LLD:
            check_compiled(report, cli, folder)
            check_this_machine(report, cli, folder)
            check_emulated(report, cli, folder)
            check_archives(report, cli, folder)
            check_clashes(report, cli, folder)
        else:
            report.skip("objects", "clang-19 or ld.lld-19 is not installed")
        check_corpus(report, cli, folder)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
