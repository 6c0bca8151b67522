#!/usr/bin/env python3
"""DLLs and COFF objects repacked by blobscope-cli, checked by the rules of the Windows loader, linked and loaded.

    test_repack_pe.py BLOBSCOPE_CLI

clang and lld-link make the inputs, and MinGW makes more, if it is installed. Blobs of several sizes are written to them in
turn. DLLs have to follow the rules of the loader, and wine loads them, also after strip and objcopy have rewritten them;
objects are linked. Checks that need wine or MinGW are skipped without it. DLLs of the corpus (BLOBSCOPE_CORPUS) are
repacked and loaded too, if available.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_repack_pe.xml (JUnit) when that is set, and exits with 1 when a
check failed.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_repack import CORPUS, blobs_of, stream, valid  # noqa: E402
from test_tvm_runtime import Cli, Report, equal  # noqa: E402

SYMBOL = "__tvm_ffi__library_bin"
MINGW = shutil.which("x86_64-w64-mingw32-gcc")
WINE = next((p for p in (shutil.which("wine64"), "/usr/lib/wine/wine64", shutil.which("wine")) if p and os.access(p, os.X_OK)), None)


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=300, **options)
    if done.returncode != 0:
        raise AssertionError(f"{Path(str(command[0])).name} ended with {done.returncode}: {done.stderr.decode()[-1500:]}{done.stdout.decode()[-500:]}")
    return done


def fitted(original):
    """Another blob of the same size."""
    other = bytearray(original)
    other[-9:] = b"different"
    return bytes(other)


def replaced(cli, source, blob, out, *options):
    payload = out.with_suffix(".payload")
    payload.write_bytes(blob)
    document = cli.document("repack", source, "-o", out, "--replace", f"blob={payload}", *options)
    equal(document["verified"], True, "verified")
    equal(cli.run("extract", out, "blob", "-o", "-") == blob, True, "the blob that was written")
    return document


# --- 1. The rules for DLLs. -------------------------------------------------------------------------------------------


class Pe:
    """The parts that the loader reads. Source: "PE Format", learn.microsoft.com/windows/win32/debug/pe-format."""

    def __init__(self, data):
        self.data = data
        at = self.word(0x3c) + 4
        self.header, self.optional = at, at + 20
        self.count = self.half(at + 2)
        self.is64 = self.half(self.optional) == 0x20b
        self.base = struct.unpack_from("<Q", data, self.optional + 24)[0] if self.is64 else self.word(self.optional + 28)
        self.directories = self.optional + (112 if self.is64 else 96)
        self.table = self.optional + self.half(at + 16)
        self.align, self.file_align = self.word(self.optional + 32), self.word(self.optional + 36)
        self.image_size, self.headers_size, self.checksum = (self.word(self.optional + k) for k in (56, 60, 64))
        self.sections = []
        for i in range(self.count):
            place = self.table + 40 * i
            name = data[place:place + 8].rstrip(b"\0").decode("latin-1")
            size, address, raw_size, raw = struct.unpack_from("<4I", data, place + 8)
            self.sections.append({"name": name, "size": size, "address": address, "raw_size": raw_size, "raw": raw, "flags": self.word(place + 36)})

    def word(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def half(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def directory(self, number):
        return self.word(self.directories + 8 * number), self.word(self.directories + 8 * number + 4)

    def offset(self, address):
        for s in self.sections:
            if s["address"] <= address < s["address"] + max(s["size"], s["raw_size"]):
                return s["raw"] + address - s["address"]
        raise AssertionError(f"no section holds the address {address:#x}")

    def text(self, address):
        at = self.offset(address)
        return self.data[at:self.data.index(b"\0", at)].decode()

    def exports(self):
        at = self.offset(self.directory(0)[0])
        count, functions, names, ordinals = self.word(at + 24), *(self.offset(self.word(at + k)) for k in (28, 32, 36))
        return {self.text(self.word(names + 4 * i)): self.word(functions + 4 * self.half(ordinals + 2 * i)) for i in range(count)}

    def content(self, section):
        return self.data[section["raw"]:section["raw"] + min(section["raw_size"], section["size"] or section["raw_size"])] if section["raw"] else b""

    def computed_checksum(self):
        data = bytearray(self.data)
        data[self.optional + 64:self.optional + 68] = bytes(4)
        total = sum(struct.unpack(f"<{(len(data) + 1) // 2}H", bytes(data) + bytes(len(data) % 2)))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        return total + len(data)

    def problems(self):
        """Everything that Windows would refuse, or tools would fail on."""
        found = []
        rounded = lambda value, step: (value + step - 1) // step * step
        if not 1 <= self.count <= 96:
            found.append("number of sections")
        if self.table + 40 * self.count > self.headers_size:
            found.append("section table outside of the headers")
        if self.headers_size % self.file_align:
            found.append("size of the headers")
        address = rounded(self.headers_size, self.align)
        raw_end = self.headers_size
        for s in self.sections:
            if s["address"] % self.align:
                found.append("address not aligned")
            elif s["address"] != address:
                found.append("addresses not contiguous")
            address = rounded(s["address"] + (s["size"] or s["raw_size"]), self.align)
            if s["raw"] == 0:
                continue
            if s["raw"] % self.file_align or s["raw_size"] % self.file_align:
                found.append("bytes not aligned")
            if s["raw"] < raw_end:
                found.append("bytes overlap")
            if s["raw"] + s["raw_size"] > len(self.data):
                found.append("bytes outside of the file")
            raw_end = s["raw"] + s["raw_size"]
        if self.image_size != address:
            found.append("size of the image")
        if self.checksum not in (0, self.computed_checksum()):
            found.append("checksum")
        place, size = self.directory(4)
        if place and (place + size != len(self.data) or place < raw_end):
            found.append("certificate")
        place, count = self.word(self.header + 8), self.word(self.header + 12)
        if place:
            if place < raw_end or place + 18 * count + 4 > len(self.data):
                found.append("symbol table")
            elif place + 18 * count + self.word(place + 18 * count) > len(self.data):
                found.append("strings of the symbol table")
        debug, size = self.directory(6)
        for i in range(size // 28 if debug else 0):
            try:
                entry = self.offset(debug) + 28 * i
                address, raw = self.word(entry + 20), self.word(entry + 24)
                if address and raw and self.offset(address) != raw:
                    found.append("debug directory")
            except AssertionError:
                found.append("debug directory")
        return found


def check_rules(report, dll):
    """Each rule detects its violation."""
    data = dll.read_bytes()
    pe = Pe(data)
    last = pe.table + 40 * (pe.count - 1)
    end = struct.pack("<I", len(data))
    debug = pe.offset(pe.directory(6)[0]) + 24 if pe.directory(6)[0] else None
    wrong = {"number of sections": (pe.header + 2, b"\0\0"), "section table outside of the headers": (pe.optional + 60, struct.pack("<I", 512)),
             "size of the headers": (pe.optional + 60, struct.pack("<I", pe.headers_size + 8)), "address not aligned": (last + 12, b"\1"),
             "addresses not contiguous": (last + 12, struct.pack("<I", pe.sections[-1]["address"] + pe.align)), "bytes not aligned": (last + 20, b"\1"),
             "bytes overlap": (last + 20, struct.pack("<I", pe.file_align)),
             "bytes outside of the file": (last + 20, struct.pack("<I", len(data) // 512 * 512)),
             "size of the image": (pe.optional + 56, b"\0\0\0\0"), "checksum": (pe.optional + 64, struct.pack("<I", pe.computed_checksum() ^ 1)),
             "certificate": (pe.directories + 32, end + end), "symbol table": (pe.header + 8, struct.pack("<I", len(data) - 2))}
    if debug:
        wrong["debug directory"] = (debug, struct.pack("<I", pe.word(debug) + 4))

    def found():
        equal(pe.problems(), [], "the file itself")
        for name, (at, replacement) in wrong.items():
            bad = bytearray(data)
            bad[at:at + len(replacement)] = replacement
            equal(name in Pe(bytes(bad)).problems(), True, f"'{name}' is found")

    report.check(f"rules for DLLs: each of {len(wrong)} finds its mistake", found)


def compare_dlls(before, after, symbol, blob):
    """The export leads to the blob, and everything else is unchanged."""
    old, new = Pe(before), Pe(after)
    equal(new.problems(), [], "rules of the loader")
    place = new.offset(new.exports()[symbol])
    equal(after[place:place + len(blob)] == blob, True, "the bytes at the export")
    equal({k: v for k, v in old.exports().items() if k != symbol}, {k: v for k, v in new.exports().items() if k != symbol}, "other exports")
    ours = 0
    for s in old.sections:
        twin = next((t for t in new.sections if t["address"] == s["address"]), None)
        if s["name"] == ".tvmblob":
            continue
        equal((twin["name"], twin["size"], twin["flags"]), (s["name"], s["size"], s["flags"]), f"section {s['name']}")
        a, b = old.content(s), new.content(twin)
        equal(len(a), len(b), f"bytes of {s['name']}")
        ours += sum(x != y for x, y in zip(a, b)) if a != b else 0
    return ours


DLL_ASM = """
.section .rdata,"dr"
before: .long 0x11223344
.globl {symbol}
{symbol}: .incbin "{blob}"
.globl other
.balign 4
other: .long 0x600df00d
.data
.globl pointer
pointer: .quad other
.text
.globl twice
twice: leal (%rcx,%rcx), %eax
ret
"""


OTHER_DLL_ASM = """
.section .rdata,"dr"
before: .long 0x11223344
.globl {u}{symbol}
{u}{symbol}: .incbin "{blob}"
.globl {u}other
.balign 4
{u}other: .long 0x600df00d
.text
.globl {u}twice
{u}twice: nop
"""


def build_dlls(folder, blob):
    """name, path."""
    (folder / "blob.bin").write_bytes(blob)
    source = folder / "dll.s"
    source.write_text(DLL_ASM.format(symbol=SYMBOL, blob=folder / "blob.bin"))
    run("clang-19", "--target=x86_64-windows-msvc", "-c", source, "-o", folder / "dll.obj")

    def linked(name, objects, *options):
        out = folder / f"{name}.dll"
        run("lld-link-19", "/noentry", "/dll", "/nologo", *objects, f"/out:{out}", f"/export:{SYMBOL},data", "/export:other,data", "/export:pointer,data",
            "/export:twice", *options)
        return out

    yield "lld-link", linked("plain", [folder / "dll.obj"])
    yield "lld-link /release", linked("release", [folder / "dll.obj"], "/release", "/debug")
    # The number of sections that fills the headers up to the last byte.
    for count in range(1, 24):
        extra = folder / "extra.s"
        extra.write_text("".join(f'.section x{i},"dr"\n.long {i}\n' for i in range(count)))
        run("clang-19", "--target=x86_64-windows-msvc", "-c", extra, "-o", folder / "extra.obj")
        full = linked("full", [folder / "dll.obj", folder / "extra.obj"])
        pe = Pe(full.read_bytes())
        if pe.count >= 8 and pe.headers_size - (pe.table + 40 * pe.count) < 40:
            break
    yield f"lld-link, {pe.count} sections, full headers", full
    # Signed: a certificate after everything else, found by its directory.
    signed = bytearray((folder / "plain.dll").read_bytes())
    signed += bytes(-len(signed) % 8)
    place, table = len(signed), struct.pack("<IHH", 264, 0x200, 2) + random.Random(5).randbytes(256)
    struct.pack_into("<II", signed, Pe(bytes(signed)).directories + 32, place, len(table))
    (folder / "signed.dll").write_bytes(signed + table)
    yield "lld-link, signed", folder / "signed.dll"
    # Not for this machine: only checked by the rules.
    for machine, underscore in (("aarch64", ""), ("i686", "_")):
        other, out = folder / f"{machine}.s", folder / f"{machine}.dll"
        other.write_text(OTHER_DLL_ASM.format(u=underscore, symbol=SYMBOL, blob=folder / "blob.bin"))
        run("clang-19", f"--target={machine}-windows-msvc", "-c", other, "-o", folder / f"{machine}.obj")
        run("lld-link-19", "/noentry", "/dll", "/nologo", "/safeseh:no", folder / f"{machine}.obj", f"/out:{out}",
            f"/export:{SYMBOL},data", "/export:other,data", "/export:twice")
        yield f"lld-link, {machine}", out
    if not MINGW:
        return
    assembly = folder / "mingw.s"
    assembly.write_text(source.read_text() + f'.section .drectve\n.ascii " -export:{SYMBOL},data -export:other,data -export:twice "\n')
    for name, options in (("MinGW", ()), ("MinGW -g", ("-g",)), ("MinGW -s", ("-s",))):
        out = folder / f"{name.replace(' ', '')}.dll"
        run(MINGW, "-shared", *options, "-o", out, assembly)
        yield name, out


LOADER = r"""
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char** arguments) {
  FILE* list = fopen(arguments[1], "r");
  char dll[512], symbol[256], payload[512];
  while (fscanf(list, "%511s %255s %511s", dll, symbol, payload) == 3) {
    int result = 0;
    unsigned protection = 0;
    HMODULE library = LoadLibraryA(dll);
    if (!library) {
      printf("%s: error %lu\n", dll, GetLastError());
      continue;
    }
    const unsigned char* bytes = (const unsigned char*)GetProcAddress(library, symbol);
    FILE* file = fopen(payload, "rb");
    if (!bytes) result = 1;
    else if (!file) result = strcmp(payload, "-") ? 2 : 0;
    else {
      fseek(file, 0, SEEK_END);
      size_t size = ftell(file);
      rewind(file);
      unsigned char* wanted = malloc(size);
      if (fread(wanted, 1, size, file) != size) result = 3;
      else if (memcmp(bytes, wanted, size)) result = 4;
      MEMORY_BASIC_INFORMATION info;
      VirtualQuery(bytes, &info, sizeof info);
      protection = info.Protect;
      fclose(file);
    }
    printf("%s: %d %u\n", dll, result, protection);
    FreeLibrary(library);
  }
  return 0;
}
"""


class Wine:
    """One process for many libraries: each start takes a second."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "loader.c").write_text(LOADER)
        run(MINGW, "-O1", "-o", folder / "loader.exe", folder / "loader.c")
        self.environment = dict(os.environ, WINEPREFIX=str(folder / "prefix"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=", DISPLAY="")
        run(WINE, "wineboot", "-i", env=self.environment)

    def load(self, rows):
        """`rows`: (library, symbol, file with the bytes or "-"); returns "0 2" for each that is correct and read-only."""
        (self.folder / "list.txt").write_text("".join(f"{dll.name} {symbol} {payload if payload == '-' else payload.name}\n" for dll, symbol, payload in rows))
        out = run(WINE, self.folder / "loader.exe", "list.txt", env=self.environment, cwd=self.folder).stdout.decode()
        found = dict(line.strip().split(": ", 1) for line in out.splitlines())
        return [found.get(dll.name, "not reached") for dll, _, _ in rows]


def readobj(path):
    done = run("llvm-readobj-19", "--file-headers", "--sections", "--coff-exports", path)
    equal(done.stderr.decode(), "", "what llvm-readobj complains about")


def check_dlls(report, cli, folder):
    original = valid(2_000)
    dlls = report.check("DLLs: the inputs are linked", lambda: list(build_dlls(folder, original)))
    if not dlls:
        return
    check_rules(report, dlls[1][1])
    wine, rows = None, []
    for name, path in dlls:
        same, small, larger, huge, other = fitted(original), valid(700), valid(60_000), valid(5_000_000), valid(33_333)

        def steps(name=name, path=path, same=same, small=small, larger=larger, huge=huge, other=other):
            strategies, before = [], path.read_bytes()
            stem = path.stem
            for label, source, blob in (("same", path, same), ("small", path, small), ("larger", path, larger), ("huge", path, huge),
                                        ("again", folder / f"{stem}-huge.dll", other), ("back", folder / f"{stem}-again.dll", huge)):
                out = folder / f"{stem}-{label}.dll"
                document = replaced(cli, source, blob, out)
                strategies.append(document["strategy"])
                after = out.read_bytes()
                changed = compare_dlls(before, after, SYMBOL, blob)
                equal(changed <= 16 or label in ("same", "small"), True, f"bytes of other sections that differ ({changed})")
                readobj(out)
                rows.append((out, SYMBOL, out.with_suffix(".payload")))
            equal((folder / f"{stem}-back.dll").read_bytes() == (folder / f"{stem}-huge.dll").read_bytes(), True, "there and back gives the same file")
            equal(strategies, ["in-place", "in-place", "append-section", "append-section", "resize", "resize"], "strategies")
            if "signed" in name:
                equal(Pe((folder / f"{stem}-larger.dll").read_bytes()).directory(4), (0, 0), "certificate directory")
            scrubbed = folder / f"{stem}-scrub.dll"
            replaced(cli, path, larger, scrubbed, "--scrub")
            equal(original in scrubbed.read_bytes(), False, "the old blob is still there")
            equal(original in (folder / f"{stem}-larger.dll").read_bytes(), True, "without scrubbing it stays")
            rows.append((scrubbed, SYMBOL, scrubbed.with_suffix(".payload")))

        report.check(f"{name}: same, smaller, larger, huge, edited again, back", steps)

        def rewritten(name=name, path=path, larger=larger, other=other):
            source = folder / f"{path.stem}-larger.dll"
            for index, tool in enumerate(("llvm-strip-19", "llvm-objcopy-19", "x86_64-w64-mingw32-strip", "x86_64-w64-mingw32-objcopy")):
                if not shutil.which(tool) or ("aarch64" in name and tool.startswith("x86_64")):
                    continue
                out = folder / f"{path.stem}-tool{index}.dll"
                shutil.copy(source, out)
                run(tool, out)
                out.with_suffix(".payload").write_bytes(larger)
                equal(cli.run("extract", out, "blob", "-o", "-") == larger, True, f"the blob after {tool}")
                rows.append((out, SYMBOL, out.with_suffix(".payload")))
                again = folder / f"{path.stem}-tool{index}-again.dll"
                # Debug sections of MinGW come before ours; without them there is a gap, which is not rewritten.
                gap = "addresses not contiguous" in Pe(out.read_bytes()).problems()
                equal(replaced(cli, out, other, again)["strategy"], "in-place" if gap else "resize", f"strategy after {tool}")
                rows.append((again, SYMBOL, again.with_suffix(".payload")))

        report.check(f"{name}: strip and objcopy keep the blob, and it can be edited again", rewritten)

    if not WINE:
        return report.skip("DLLs under wine", "wine is not installed")
    if not MINGW:
        return report.skip("DLLs under wine", "mingw is not installed")
    wine = report.check("wine: starts", lambda: Wine(folder))
    if not wine:
        return

    def loaded():
        rows[:] = [row for row in rows if not row[0].name.startswith(("aarch64", "i686"))]
        found = wine.load(rows)
        equal([(dll.name, result) for (dll, _, _), result in zip(rows, found) if result != "0 2"], [], "libraries that do not load, or hold other bytes")
        print(f"      {len(rows)} libraries loaded")

    report.check("wine: loads all of them, with the right bytes at the symbol, read-only", loaded)

    def corpus():
        count = 0
        for path in sorted(CORPUS.glob("*.dll")):
            shutil.copy(path, folder / path.name)
            blob = next(blobs_of(cli.document("tree", path)))
            symbol = blob["prefix"] + blob["carrier"]
            before = wine.load([(folder / path.name, symbol, "-")])[0]
            rows, out, data = [], None, cli.run("extract", path, "blob", "-o", "-")
            for label, new in (("same", data[:-4] + b"more"), ("larger", stream([("example", data)])), ("huge", valid(5_000_000)), ("again", valid(2_000_000))):
                source = out if label == "again" else path
                out = folder / f"{path.stem}-{label}.dll"
                replaced(cli, source, new, out, "--force")
                compare_dlls(path.read_bytes(), out.read_bytes(), symbol, new)
                rows.append((out, symbol, out.with_suffix(".payload")))
            # With wine, the files that load unchanged.
            if before.startswith("0"):
                equal(wine.load(rows), ["0 2"] * len(rows), f"{path.name} and what it becomes")
                count += len(rows)
            print(f"      {path.name}: {before}")
        print(f"      {count} libraries loaded")

    if CORPUS.is_dir():
        report.check("wine: the DLLs of the corpus", corpus)
    else:
        report.skip("wine: the DLLs of the corpus", "corpus absent")


# --- 2. COFF objects. -------------------------------------------------------------------------------------------------


def check_objects(report, cli, folder):
    """Objects with a blob at the end or in the middle of its section are linked with the new blob."""
    original = valid(2_000)
    (folder / "object.bin").write_bytes(original)
    for name, behind in (("at the end", ""), ("in the middle", '.globl other\n.balign 4\nother: .long 0x600df00d\n')):
        source, made = folder / "object.s", folder / f"object-{name.replace(' ', '-')}.obj"
        source.write_text(f'.section .rdata,"dr"\nbefore: .long 1\n.globl {SYMBOL}\n{SYMBOL}: .incbin "{folder}/object.bin"\n{behind}'
                          f'.data\n.globl pointer\npointer: .quad {SYMBOL}\nother_pointer: .quad before\n'
                          f'.text\n.globl twice\ntwice: leaq {SYMBOL}(%rip), %rax\nret\n')

        def steps(made=made, source=source, behind=behind):
            run("clang-19", "--target=x86_64-windows-msvc", "-c", source, "-o", made)
            strategies = []
            for label, start, blob in (("small", made, valid(700)), ("larger", made, valid(60_000)), ("huge", made, valid(5_000_000)),
                                       ("again", made.with_name(made.stem + "-huge.obj"), valid(33_333)),
                                       ("back", made.with_name(made.stem + "-again.obj"), valid(5_000_000))):
                out = made.with_name(f"{made.stem}-{label}.obj")
                strategies.append(replaced(cli, start, blob, out)["strategy"])
                equal(run("llvm-readobj-19", "--file-headers", "--sections", "--relocations", "--symbols", out).stderr, b"", "complaints of llvm-readobj")
                dll = out.with_suffix(".dll")
                run("lld-link-19", "/noentry", "/dll", "/nologo", out, f"/out:{dll}", f"/export:{SYMBOL},data", "/export:pointer,data", "/export:twice")
                pe = Pe(dll.read_bytes())
                exports = pe.exports()
                place = pe.offset(exports[SYMBOL])
                equal(pe.data[place:place + len(blob)] == blob, True, "the blob in the linked library")
                pointer = struct.unpack_from("<Q", pe.data, pe.offset(exports["pointer"]))[0]
                equal(pointer - pe.base, exports[SYMBOL], "the pointer to it")
                code = pe.offset(exports["twice"])
                equal(exports["twice"] + 7 + struct.unpack_from("<i", pe.data, code + 3)[0], exports[SYMBOL], "the address in the code")
                other = struct.unpack_from("<Q", pe.data, pe.offset(exports["pointer"]) + 8)[0]
                equal(pe.word(pe.offset(other - pe.base)), 1, "the datum in front of it")
            back, huge = (made.with_name(f"{made.stem}-{label}.obj").read_bytes() for label in ("back", "huge"))
            equal(back == huge, True, "there and back gives the same file")
            equal(strategies, ["in-place", "append-section", "append-section", "resize", "resize"] if behind else ["resize"] * 5, "strategies")

        report.check(f"COFF object, blob {name}", steps)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    report = Report("test_repack_pe")
    missing = [tool for tool in ("clang-19", "lld-link-19", "llvm-readobj-19") if not shutil.which(tool)]
    if missing:
        report.skip("DLLs and COFF objects", f"{missing[0]} is not installed")
    else:
        cli = Cli(str(Path(sys.argv[1]).resolve()))
        with tempfile.TemporaryDirectory() as temporary:
            check_dlls(report, cli, Path(temporary))
            check_objects(report, cli, Path(temporary))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
