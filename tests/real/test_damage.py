#!/usr/bin/env python3
"""blobscope-cli repack, killed, interrupted and without disk space, for all formats that it writes.

    test_damage.py BLOBSCOPE_CLI [--count KILLS] [--seed SEED]

The output is the library itself, as when editing in place. Whatever happens, it is the whole old file or the whole new
one; the only other file is the temporary file of the killed run, which the next run removes. Times are drawn from SEED;
the kills (60 by default) are distributed over all formats. A full disk is simulated by a limit for file sizes, increased
through the output, and by a small tmpfs, where one can be mounted. With --calls the run ends at, or gets an error from,
each system call that touches files (strace).

Prints one line per check, writes BLOBSCOPE_RESULTS/test_damage.xml (JUnit) when that is set, and exits with 1 when a
check failed.
"""
import argparse
import io
import json
import random
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_repack import blobs_of, valid  # noqa: E402
from test_tvm_runtime import Cli, Report, equal  # noqa: E402

TOOLS = ("clang-19", "ld.lld-19", "lld-link-19", "ld64.lld-19", "llvm-ar-19")
OLD, NEW, NEW_SOURCE = 4_000, 2_000_000, 200_000  # bytes of the blobs
STRAY = ".blobscope-"


# --- 1. A file of each format. ----------------------------------------------------------------------------------------


def run(*command):
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def compiled(folder, target, blob):
    (folder / "blob.bin").write_bytes(blob)
    (folder / "blob.c").write_text(f'const unsigned char __tvm_dev_mblob[] = {{\n#embed "{folder}/blob.bin"\n}};\nint twice(int x) {{ return 2 * x; }}\n')
    out = folder / "blob.o"
    run("clang-19", f"--target={target}", "-O1", *(["-fPIC"] if "linux" in target else []), "-Wno-everything", "-c", folder / "blob.c", "-o", out)
    return out


def c_source(blob):
    lines = [",".join(f"0x{byte:02x}" for byte in blob[at:at + 20]) for at in range(0, len(blob), 20)]
    return (f"const unsigned char __tvm_dev_mblob[{len(blob)}] = {{\n  " + ",\n  ".join(lines) + "\n};\n").encode()


def tar_of(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def make_files(folder):
    """Yields (name, file, its suffix) per format, with a small blob."""
    blob, linux = valid(OLD), "x86_64-linux-gnu"
    out = folder / "linked"

    def linked(target, *command):
        run(command[0], compiled(folder, target, blob), *command[1:])
        return out.read_bytes()

    elf_object = compiled(folder, linux, blob).read_bytes()
    archive = folder / "archive.a"
    run("llvm-ar-19", "rcsD", archive, folder / "blob.o")
    other = ("other.o", bytes(range(256)) * 100)
    yield "ELF", linked(linux, "ld.lld-19", "-shared", "-o", out), ".so"
    yield "PE", linked("x86_64-pc-windows-msvc", "lld-link-19", "-dll", "-noentry", "-export:__tvm_dev_mblob,data", f"-out:{out}"), ".dll"
    yield "Mach-O", linked("arm64-apple-macos11", "ld64.lld-19", "-arch", "arm64", "-platform_version", "macos", "11.0", "11.0", "-headerpad", "0x100",
                           "-dylib", "-o", out), ".dylib"
    yield "wasm", compiled(folder, "wasm32", blob).read_bytes(), ".wasm"
    yield "object", elf_object, ".o"
    yield "archive", archive.read_bytes(), ".a"
    yield "tar", tar_of([other, ("devc.o", elf_object)]), ".tar"
    yield "tar.gz", tar_of([other, ("libdevc.a", archive.read_bytes())], "w:gz"), ".tar.gz"
    yield "zip", zip_of([other, ("devc.o", elf_object)]), ".zip"
    yield "C source", c_source(blob), ".c"


class Writer:
    """A file, the replacement of its blob, and the result."""

    def __init__(self, cli, folder, name, old, suffix):
        self.name, self.old, self.suffix = name, old, suffix
        work = folder / name.replace(" ", "-")
        work.mkdir()
        self.work, self.target, self.blob = work, work / f"library{suffix}", folder / f"new-{name.replace(' ', '-')}.bin"
        self.target.write_bytes(old)
        document = cli.document("tree", self.target)
        blob = next(blobs_of(document))
        self.command = [cli.program, "repack", str(self.target), "-o", str(self.target), "--json", "--force", "--replace", f"{blob['ref']}={self.blob}"]
        for size in (NEW_SOURCE if name == "C source" else NEW, None):
            # Where a larger blob is refused, one of the same size is used: the same code writes both.
            self.blob.write_bytes(valid(size) if size else bytes(valid(OLD)[:-64]) + b"\1" * 64)
            self.target.write_bytes(old)
            first = subprocess.run(self.command, capture_output=True)
            if first.returncode == 0:
                break
        equal(first.returncode, 0, f"exit code ({first.stderr.decode()})")
        self.new, self.strategy = self.target.read_bytes(), json.loads(first.stdout)["strategy"]
        times = []
        for _ in range(3):
            self.target.write_bytes(old)
            start = time.monotonic()
            subprocess.run(self.command, check=True, capture_output=True)
            times.append(time.monotonic() - start)
        self.seconds = sorted(times)[1]

    def strays(self):
        return [path for path in self.work.iterdir() if path != self.target]

    def is_whole(self):
        now = self.target.read_bytes()
        equal(now in (self.old, self.new), True, f"{self.name}: {len(now)} bytes are the old file of {len(self.old)} or the new one of {len(self.new)}")
        return now == self.new

    def runs(self):
        """A run that is not stopped leaves nothing."""
        subprocess.run(self.command, check=True, capture_output=True)
        equal(self.strays(), [], f"{self.name}: files beside the library")


# --- 2. Stopped at any time. ------------------------------------------------------------------------------------------


def check_kills(writers, count, rng):
    hits = {writer.name: [0, 0, 0] for writer in writers}
    for number in range(count):
        writer = writers[number % len(writers)]
        writer.target.write_bytes(writer.old)
        process = subprocess.Popen(writer.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        earlier = {path.name for path in writer.strays()}
        time.sleep(rng.random() * writer.seconds * 1.15)
        process.kill()
        process.wait()
        new, strays = writer.is_whole(), writer.strays()
        equal([path.name for path in strays if not path.name.startswith(STRAY)], [], f"{writer.name}: files beside the library")
        equal(len(strays) <= 1, True, f"{writer.name}: at most one temporary file")
        during = not new and bool({path.name for path in strays} - earlier)
        hits[writer.name][2 if new else 1 if during else 0] += 1
    for writer in writers:
        writer.target.write_bytes(writer.old)
        writer.runs()
    total = [sum(column) for column in zip(*hits.values())]
    print(f"      {count} kills: {total[0]} before writing, {total[1]} while writing, {total[2]} after it")
    print("      " + ", ".join(f"{name} {a}/{b}/{c}" for name, (a, b, c) in hits.items()))


def check_interrupts(writers, count, rng):
    """Ctrl+C: the same, and nothing at all remains."""
    seen = {"refused": 0, "done": 0, "not started": 0}
    for number in range(count):
        writer = writers[number % len(writers)]
        writer.target.write_bytes(writer.old)
        process = subprocess.Popen(writer.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * writer.seconds * 1.1)
        process.send_signal(signal.SIGINT)
        out = process.communicate()[0]
        new = writer.is_whole()
        equal(writer.strays(), [], f"{writer.name}: files beside the library")
        equal(process.returncode in (0, 2, -signal.SIGINT), True, f"{writer.name}: exit code {process.returncode}")
        # Before the program listens, the signal ends it at once. Once the file has its name, it is too late.
        state = "done" if process.returncode == 0 else "not started" if process.returncode < 0 else "refused"
        if state == "not started" or (state == "done") != new:
            equal(new if state == "done" else not new or b"CANCELLED" in out.upper(), True, f"{writer.name}: {state}, new {new}")
        seen[state] += 1
    print(f"      {count} interrupts: {seen['not started']} before it listened, {seen['refused']} given up, {seen['done']} done already")


# --- 3. No room. ------------------------------------------------------------------------------------------------------


def refused(writer, **options):
    """Runs with possibly too little disk space; returns whether there was too little."""
    done = subprocess.run(writer.command, capture_output=True, **options)
    if done.returncode == 0:
        equal(writer.target.read_bytes() == writer.new, True, f"{writer.name}: the new file")
    else:
        equal((done.returncode, json.loads(done.stdout)["code"]), (2, "FILE-WRITE"), f"{writer.name}: refusal")
        equal(writer.target.read_bytes() == writer.old, True, f"{writer.name}: the old file")
    equal(writer.strays(), [], f"{writer.name}: files beside the library")
    return done.returncode != 0


def check_limits(writers, steps):
    """Limits the size of the output."""
    failed = 0
    for writer in writers:
        size = len(writer.new)
        limits = sorted({0, 1, 4_096, size // 2, size - 1, size, *(size * i // steps for i in range(1, steps))})
        for limit in limits:
            writer.target.write_bytes(writer.old)

            def restrict(limit=limit):
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            wanted = limit < size
            # The output of the run goes through a pipe, which has no limit.
            equal(refused(writer, preexec_fn=restrict, restore_signals=False), wanted, f"{writer.name}: refused with {limit} of {size} bytes")
            failed += wanted
    print(f"      {failed} runs without room")


def check_disks(writers, folder, steps):
    """A file system with room for the library and some more pages; and one in which no file can be created."""
    mount = folder / "disk"
    mount.mkdir()
    failed = runs = 0
    for writer in writers:
        old, new, page = len(writer.old), len(writer.new), 4_096
        base = (old + page - 1) // page + 2  # the library, folder entries
        whole = (new + page - 1) // page + 2
        rooms = sorted({0, 1, 2, whole // 2, whole - 3, *(whole * i // steps for i in range(steps + 1)), whole + 4})
        for room in (*rooms, None):
            limits = f"size={(base + max(room, 0)) * page}" if room is not None else "nr_inodes=2"
            subprocess.run(["mount", "-t", "tmpfs", "-o", limits, "tmpfs", str(mount)], check=True, capture_output=True)
            try:
                there = object.__new__(Writer)
                there.name, there.old, there.new, there.work, there.target = writer.name, writer.old, writer.new, mount, mount / f"library{writer.suffix}"
                there.target.write_bytes(writer.old)
                there.command = [part.replace(str(writer.target), str(there.target)) for part in writer.command]
                found = refused(there)
                if room is None or room < whole - 4:
                    equal(found, True, f"{writer.name}: refused with {limits}")
                if room == rooms[-1]:
                    equal(found, False, f"{writer.name}: refused although there is room")
                failed += found
                runs += 1
            finally:
                subprocess.run(["umount", str(mount)], check=True, capture_output=True)
    print(f"      {failed} of {runs} runs without room")


# --- 4. At each system call, on request.            -------------------------------------------------------------------

CALLS = {"openat": (), "fchmod": ("EPERM",), "flock": (), "copy_file_range": ("ENOSPC", "EIO"), "write": ("ENOSPC", "EIO"), "ftruncate": ("ENOSPC",),
         "fsync": ("EIO", "ENOSPC"), "rename": ("EACCES", "ENOSPC"), "link": ("EPERM", "ENOSPC"), "unlink": ()}


def check_calls(writers):
    """Killed before each call that touches files, and each of them failing, with a backup of the old file requested."""
    killed = failed = 0
    left = set()
    for writer in writers:
        backup = writer.target.with_name(writer.target.name + ".bak")

        def traced(injection):
            writer.target.write_bytes(writer.old)
            backup.unlink(missing_ok=True)
            filters = ["-e", f"trace={injection.split(':')[0]}", "-e", f"inject={injection}"]
            done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", *filters, *writer.command, "--backup"], capture_output=True)
            new = writer.is_whole()
            if backup.exists():
                equal(backup.read_bytes() == writer.old, True, f"{writer.name}: the backup")
            strays = [path for path in writer.strays() if path != backup]
            equal([path.name for path in strays if not path.name.startswith(STRAY)], [], f"{writer.name}: files beside the library")
            return done, new, strays

        for call, errors in CALLS.items():
            for number in range(1, 400):
                done, new, strays = traced(f"{call}:signal=KILL:when={number}")
                if done.returncode == 0:
                    break
                killed += 1
                left.update("backup's link" if path.name.endswith("-bak") else "temporary file" for path in strays)
                equal(len(strays) <= 2, True, f"{writer.name}: killed at {call} {number}: {[path.name for path in strays]}")
                subprocess.run([*writer.command, "--backup"], check=True, capture_output=True)
                equal([path.name for path in writer.strays() if path != backup], [], f"{writer.name}: after the next run")
            for error in errors:
                for number in range(1, 400):
                    done, new, strays = traced(f"{call}:error={error}:when={number}")
                    equal(strays, [], f"{writer.name}: {call} {number} failed with {error}: files beside the library")
                    if done.returncode == 0:
                        equal(new, True, f"{writer.name}: {call} {number} failed with {error} and nobody said so")
                        if number > 3:
                            break
                    failed += done.returncode != 0
    print(f"      killed {killed} times, {failed} runs refused by a failing call; left until the next run: {', '.join(sorted(left)) or 'nothing'}")


def can_mount(folder):
    probe = folder / "probe"
    probe.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(probe)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode != 0:
        return False
    subprocess.run(["umount", str(probe)], check=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("cli")
    parser.add_argument("--count", type=int, default=60, help="kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", action="store_true", help="also ends it at, and fails, each system call that touches files; needs strace and minutes")
    asked = parser.parse_args()
    report = Report("test_damage")
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        report.skip("damage", f"{missing[0]} is not installed")
        return report.finish()
    cli, rng = Cli(str(Path(asked.cli).resolve())), random.Random(asked.seed)
    many = max(1, asked.count // 300)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        writers = []

        def prepared():
            for name, old, suffix in make_files(folder):
                writers.append(Writer(cli, folder, name, old, suffix))
            print("      " + ", ".join(f"{w.name}: {w.strategy}, {len(w.new):,} bytes in {w.seconds * 1000:.0f} ms" for w in writers))

        report.check("a file of each format is repacked", prepared)
        if writers:
            report.check(f"killed {asked.count} times", lambda: check_kills(writers, asked.count, rng))
            report.check(f"interrupted {asked.count // 2} times", lambda: check_interrupts(writers, asked.count // 2, rng))
            report.check("no room for the file", lambda: check_limits(writers, 4 * many))
            if can_mount(folder):
                report.check("no room on the disk", lambda: check_disks(writers, folder, 2 * many))
            else:
                print("      tmpfs cannot be mounted here; the limit for file sizes has to do")
            if asked.calls:
                report.check("at each system call", lambda: check_calls([w for w in writers if w.name in ("ELF", "tar.gz")]))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
