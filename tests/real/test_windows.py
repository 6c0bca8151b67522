#!/usr/bin/env python3
"""The programs for Windows under wine, compared with the command line of this system.

    test_windows.py BLOBSCOPE_CLI FOLDER [FILE …]

FOLDER contains blobscope-cli.exe and blobscope-runner.exe, as packaging/windows/build.sh makes them. Each FILE, by default
the bundled samples and the corpus (BLOBSCOPE_CORPUS), is read by both programs: the output and the exit code have to be
the same, byte for byte. Further checks concern what Windows does differently: paths, names, files that are replaced, and
dry runs of the DLLs of the corpus. Needs wine64.

Prints one line per check, writes BLOBSCOPE_RESULTS/test_windows.xml (JUnit) when that is set, and exits with 1 when a check
failed.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_tvm_runtime import Report, equal  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
WINE = next((p for p in (shutil.which("wine64"), "/usr/lib/wine/wine64", shutil.which("wine")) if p and os.access(p, os.X_OK)), None)

MINGW = shutil.which("x86_64-w64-mingw32-gcc")
# Functions without arguments, as their messages say.
BAD = """
#include <stdlib.h>
#define FUNCTION(name) __declspec(dllexport) const char name##_message[] = #name ": num_args should be 0"; __declspec(dllexport) int name(void)
__declspec(dllexport) void *__tvm_module_ctx;
FUNCTION(fine) { return 0; }
FUNCTION(crashes) { *(volatile int *)16 = 1; return 0; }
FUNCTION(aborts) { abort(); }
FUNCTION(exits7) { exit(7); }
FUNCTION(loops) { for (volatile int i = 0;; ++i); }
static int deeper(int n) { volatile char room[4096]; room[0] = (char)n; return deeper(n + 1) + room[0]; }
FUNCTION(overflows) { return deeper(0); }
"""


class Windows:
    """Starts a program of the folder under wine. One that waits keeps wine running, since its start takes seconds."""

    def __init__(self, programs, folder):
        self.programs = programs
        self.environment = dict(os.environ, WINEPREFIX=str(folder / "prefix"), WINEDEBUG="-all", WINEDLLOVERRIDES="mscoree,mshtml=", DISPLAY="")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}  # wine's services keep what they inherit
        subprocess.run([WINE, "wineboot", "-i"], env=self.environment, timeout=300, check=True, **quiet)
        self.waiting = subprocess.Popen([WINE, "cmd", "/c", "more"], env=self.environment, stdin=subprocess.PIPE, **quiet)

    def stop(self):
        self.waiting.stdin.close()
        self.waiting.wait(timeout=60)

    def start(self, *arguments, program="blobscope-cli.exe", **options):
        return subprocess.Popen([WINE, str(self.programs / program), *map(str, arguments)], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)

    def run(self, *arguments, timeout=300, **options):
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return process.returncode, out, err


def files_of(arguments):
    if arguments:
        return [Path(name).resolve() for name in arguments]
    found = sorted((ROOT / "resources" / "sample").glob("*.so")) + sorted((ROOT / "resources" / "sample").glob("*.tar"))
    corpus = os.environ.get("BLOBSCOPE_CORPUS")
    if corpus:
        found += sorted(Path(corpus).glob("libraries/*")) + sorted(Path(corpus).glob("mlf/*"))
    return found


# --- 1. The same output. ----------------------------------------------------------------------------------------------

VERBS = (("tree", "--json"), ("tree",), ("verify", "--json"), ("check",), ("symbols",), ("show", "blob"), ("show", "m1"),
         ("find", "conv|relu|main", "--regex", "--limit", "50"), ("strings", "--limit", "50"))


def same_output(report, windows, cli, files):
    for file in files:
        def compared(file=file):
            for verb, *rest in VERBS:
                arguments = [verb, file.name, *rest] if file.is_file() or verb != "show" else [verb, file.name]
                ours = subprocess.run([cli, *arguments], capture_output=True, cwd=file.parent, timeout=300)
                code, out, err = windows.run(*arguments, cwd=file.parent)
                equal((code, err.decode()), (ours.returncode, ours.stderr.decode()), f"exit code and messages of {' '.join(arguments)}")
                if out != ours.stdout:
                    pairs = zip(out.decode(errors="replace").splitlines(), ours.stdout.decode(errors="replace").splitlines())
                    there, here = next(((a, b) for a, b in pairs if a != b), ("…", "…"))
                    raise AssertionError(f"{' '.join(arguments)}: '{there[:300]}' instead of '{here[:300]}'")

        report.check(f"{file.name}: the same output", compared)


# --- 2. Files. --------------------------------------------------------------------------------------------------------


def check_files(report, windows, cli, folder, sample):
    def names():
        work = folder / "Größe 模型"
        work.mkdir()
        shutil.copy(sample, work / "ключ é.so")
        code, out, err = windows.run("tree", "--json", "ключ é.so", cwd=work)
        equal((code, "ключ é.so" in out.decode()), (0, True), "path in the output")
        code, out, err = windows.run("tree", "fehlt é.so", cwd=work)
        equal((code, "fehlt é.so" in err.decode()), (2, True), "message for a missing file")
        code, out, err = windows.run("repack", "ключ é.so", "-o", "выход.so", cwd=work)
        equal((code, err.decode()), (0, ""), "repack")
        equal((work / "выход.so").read_bytes() == sample.read_bytes(), True, "an unchanged repack is identical")

    report.check("names that are not ASCII: arguments, output, written files", names)

    def long_path():
        work = folder
        while len(str(work)) < 400:
            work = work / ("d" * 50)
        work.mkdir(parents=True)
        shutil.copy(sample, work / "long.so")
        place = "Z:" + str(work / "long.so").replace("/", "\\")
        code, out, err = windows.run("tree", place, cwd=folder)
        equal((code, err.decode()), (0, ""), "tree")
        code, out, err = windows.run("repack", place, "-o", place.replace("long.so", "out.so"), cwd=folder)
        equal((code, err.decode()), (0, ""), "repack")
        equal((work / "out.so").read_bytes() == sample.read_bytes(), True, "an unchanged repack is identical")

    report.check("paths with more than 260 characters", long_path)

    def replaced():
        work = folder / "replaced"
        work.mkdir()
        shutil.copy(sample, work / "a.so")
        ours = subprocess.run([cli, "repack", "a.so", "-o", "ours.so", "--rename", "m2/kernel:mean_kernel=other_kernel"], capture_output=True, cwd=work)
        equal(ours.returncode, 0, f"repack here: {ours.stderr.decode()}")
        code, out, err = windows.run("repack", "a.so", "-o", "a.so", "--rename", "m2/kernel:mean_kernel=other_kernel", "--backup", cwd=work)
        equal((code, err.decode()), (0, ""), "repack onto its input")
        equal((work / "a.so").read_bytes() == (work / "ours.so").read_bytes(), True, "the same bytes as here")
        equal((work / "a.so.bak").read_bytes() == sample.read_bytes(), True, "the backup")
        equal(sorted(path.name for path in work.iterdir() if path.name.startswith(".blobscope")), [], "temporary files")

    report.check("a repack replaces its input and keeps a backup", replaced)

    def kept():
        work = folder / "kept"
        work.mkdir()
        shutil.copy(sample, work / "a.so")
        (work / "folder.so").mkdir()
        for target, what in (("folder.so", "it is a folder"), ("NUL", "device"), ("none/out.so", ""), ("a.so\\..\\a.so", None)):
            code, out, err = windows.run("extract", "a.so", "m2", "-o", target, cwd=work)
            equal(code, 2, f"exit code for {target}: {err.decode()}")
            if what:
                equal(what in err.decode(), True, f"'{what}' in: {err.decode()}")
        equal((work / "a.so").read_bytes() == sample.read_bytes(), True, "the input is unchanged")

    report.check("outputs that cannot be written leave everything as it was", kept)

    def shown():
        work = folder / "shown"
        work.mkdir()
        shutil.copy(sample, work / "a.so")
        code, out, err = windows.run("tree", ".\\a.so", cwd=work)
        equal((code, out.decode().startswith(".\\a.so: ")), (0, True), f"the path in the output {out.decode()[:40]}")
        code, out, err = windows.run("tree", ".\\none.so", cwd=work)
        equal((code, err.decode()), (2, "blobscope-cli: .\\none.so: the file does not exist\n"), "the message for a missing file")

    report.check("paths are shown with single backslashes", shown)

    def exported():
        work = folder / "exported"
        work.mkdir()
        shutil.copy(sample, work / "a.so")
        code, out, err = windows.run("export", "a.so", "out", cwd=work)
        equal((code, err.decode()), (0, ""), "export")
        subprocess.run([cli, "export", "a.so", "ours"], check=True, capture_output=True, cwd=work)
        listed = lambda name: {str(p.relative_to(work / name)): p.read_bytes() for p in (work / name).rglob("*") if p.is_file()}
        equal(sorted(listed("out")), sorted(listed("ours")), "names of the files")
        equal([n for n, b in listed("out").items() if b != listed("ours")[n]], [], "files with another content")
        code, out, err = windows.run("import", "out", "-o", "back.so", cwd=work)
        equal((code, err.decode()), (0, ""), "import")
        equal((work / "back.so").read_bytes() == sample.read_bytes(), True, "the imported library is identical")

    report.check("export and import of a folder", exported)

    def piped():
        code, out, err = windows.run("extract", sample.name, "blob", "-o", "-", cwd=sample.parent)
        ours = subprocess.run([cli, "extract", sample.name, "blob", "-o", "-"], capture_output=True, cwd=sample.parent)
        equal((code, out == ours.stdout), (0, True), "bytes on standard output, without changed line ends")

    report.check("bytes on standard output", piped)


# --- 3. Test runs. ----------------------------------------------------------------------------------------------------

def check_runs(report, windows, folder, corpus):
    dlls = [corpus / "libraries" / name for name in ("tvm-0.27-tir-opencl-win64lld.dll", "rwkv-raven-1b5-q8f16_0-vulkan-2d7873.dll",
                                                     "rwkv-raven-1b5-q8f16_0-vulkan-3f51f6.dll")] if corpus else []
    for dll in dlls:
        if not dll.exists():
            report.skip(f"{dll.name}: dry run", "it is not in the corpus")
            continue

        def dry(dll=dll):
            code, out, err = windows.run("run", dll.name, "--all", "--dry", "--yes", "--json", cwd=dll.parent, timeout=600)
            statuses = [function["status"] for function in json.loads(out)["functions"]]
            refused = 1 if "win64lld" in dll.name else 0  # a function without checks of its arguments
            equal((code, statuses.count("refused"), statuses.count("ok")), (refused, refused, len(statuses) - refused), f"exit code and results ({err.decode()[:500]})")
            equal(len(statuses) > refused, True, "functions")

        report.check(f"{dll.name}: dry run of all functions", dry)

    grows = dlls[0] if dlls and dlls[0].exists() else None
    if not grows:
        report.skip("a repacked DLL is loaded", "the corpus is not here")
    else:
        def repacked():
            work = folder / "grown"
            work.mkdir()
            shutil.copy(grows, work / "a.dll")
            code, _, err = windows.run("extract", "a.dll", "m1/field:data", "-o", "code.cl", cwd=work)
            equal((code, err.decode()), (0, ""), "extract")
            (work / "code.cl").write_bytes((work / "code.cl").read_bytes() + b"// longer\n" * 10_000)
            code, _, err = windows.run("repack", "a.dll", "-o", "b.dll", "--replace", "m1/field:data=code.cl", cwd=work)
            equal((code, err.decode()), (0, ""), "repack")
            results = []
            for name in ("a.dll", "b.dll"):
                _, out, _ = windows.run("run", name, "--all", "--dry", "--yes", "--json", cwd=work, timeout=600)
                results.append([(function["name"], function["status"], function.get("launches")) for function in json.loads(out)["functions"]])
            equal(results[1], results[0], "results of the repacked DLL")
            equal([status for _, status, _ in results[0]].count("ok") > 0, True, "functions that ran")

        report.check("a DLL with a larger blob is loaded, and its functions do the same", repacked)

    if not MINGW:
        report.skip("test runs that end badly", "x86_64-w64-mingw32-gcc is not installed")
        return
    dll = folder / "bad.dll"
    dll.with_suffix(".c").write_text(BAD)
    subprocess.run([MINGW, "-shared", "-O1", "-w", "-o", str(dll), str(dll.with_suffix(".c"))], check=True)
    at = r"at 0x[0-9a-f]+ of the library"
    for function, ending in (("fine", None), ("crashes", f"access violation in stage 'host-call', {at}, touching 0x10"), ("aborts", "fast failure in stage 'host-call'"),
                             ("overflows", f"stack overflow in stage 'host-call', {at}"), ("exits7", "exit code 7 in stage 'host-call'"),
                             ("loops", "RUN-TIME: stopped at the time limit of [0-9]+ s in stage 'host-call'")):
        def bad(function=function, ending=ending):
            code, out, err = windows.run("run", dll.name, function, "--dry", "--yes", cwd=folder, timeout=300)
            equal(code, 1 if ending else 0, f"exit code ({err.decode()}{out.decode()})")
            equal(bool(re.search(ending or "1 function: 1 ok", out.decode())), True, f"'{ending}' in {out.decode()}")

        report.check(f"a test run whose code {function}", bad)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    cli, programs = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    report = Report("test_windows")
    if not WINE:
        report.skip("the programs for Windows", "wine is not installed")
        return report.finish()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        windows = report.check("wine: starts", lambda: Windows(programs, folder))
        if not windows:
            return report.finish()
        sample = ROOT / "resources" / "sample" / "sample-cuda-a.so"
        check_files(report, windows, cli, folder, sample)
        corpus = os.environ.get("BLOBSCOPE_CORPUS")
        check_runs(report, windows, folder, Path(corpus) if corpus else None)
        same_output(report, windows, cli, files_of(sys.argv[3:]))
        windows.stop()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
