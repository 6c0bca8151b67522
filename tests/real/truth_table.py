#!/usr/bin/env python3
"""What `blobscope-cli preflight` says of each library with each runtime, beside what the runtime really did.

    truth_table.py BLOBSCOPE_CLI RESULTS PLACE… -- ENVIRONMENT…

Loads every x86-64 ELF library at the places (files and folders) with the runtime of each Python environment, in a process
of its own, and asks blobscope-cli for the same pair with `--runtime ENVIRONMENT --system this`. Real results are kept in
the JSON file RESULTS, so that a second run only asks blobscope-cli. Prints a Markdown table and the sums; the exit code is
1 when a pair differs. Environments may have apache-tvm, apache-tvm-tirx, tilelang or only apache-tvm-ffi. Not part of
`dev.sh test`: it executes the libraries, and the environments are downloads.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

# Imports the runtime once. For each path of its input, a process of its own loads it and prints lines of JSON; then the
# status of that process is printed.
SERVER = r"""
import json, os, sys
from pathlib import Path
def say(**what): os.write(1, (json.dumps(what) + "\n").encode())
site = next(Path(p) for p in sys.path if p.endswith("site-packages"))
machine = problem = None
try:
    if (site / "tilelang").is_dir():
        os.environ["TVM_LIBRARY_PATH"] = str(site / "tilelang" / "lib")
        sys.path.insert(0, str(site / "tilelang" / "3rdparty" / "tvm" / "python"))
        import z3 # its library is needed, and found because it is loaded
    if (site / "tvm_tirx").is_dir():
        import tvm_tirx, tvm_ffi
        load = tvm_ffi.load_module
    elif (site / "tvm").is_dir() or (site / "tilelang").is_dir():
        import tvm
        load, machine = tvm.runtime.load_module, lambda m: tvm.relax.VirtualMachine(m, tvm.cpu())
        try:
            import tvm.relax
        except Exception:
            pass
    else:
        import tvm_ffi
        load = tvm_ffi.load_module
except Exception as what:
    problem = str(what)

def run(path):
    if problem:
        return say(end="no runtime", text=problem)
    try:
        module = load(path)
    except Exception as what:
        return say(end="fails", text=str(what))
    imports = getattr(module, "imports", None) or getattr(module, "imported_modules", [])
    kind = module.kind if hasattr(module, "kind") else module.type_key
    say(end="loads", kind=kind, imports=len(imports))
    if machine and kind.startswith("relax."):
        try:
            machine(module)
        except Exception as what:
            say(end="fails", text=str(what))

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        run(json.loads(line))
        os._exit(0)
    say(status=os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def libraries(places):
    for place in places:
        for path in sorted(Path(place).rglob("*")) if Path(place).is_dir() else [Path(place)]:
            if path.is_file() and path.stat().st_size > 64:
                with path.open("rb") as file:
                    head = file.read(20)
                if head[:5] == b"\x7fELF\x02" and head[16:20] == b"\x03\0\x3e\0":
                    yield path


class Environment:
    def __init__(self, folder):
        self.folder, self.server = folder, None

    def load(self, path):
        """What really happened: "loads", "loads or empty", "fails", "ends" or "no runtime", and the last words."""
        if not self.server:
            self.server = subprocess.Popen([self.folder / "bin" / "python", "-c", SERVER], stdin=subprocess.PIPE, cwd="/",
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.server.stdin.write(json.dumps(str(path)) + "\n")
        self.server.stdin.flush()
        last = {}
        for line in self.server.stdout:
            said = json.loads(line) if line.startswith("{") else {}
            if "status" in said:
                break
            last = said or last
        end, words = last.get("end", ""), last.get("text", "")
        if said.get("status", 1) != 0 and not end:
            return "ends", f"status {said.get('status')}"
        if end == "loads" and last["kind"] == "library" and not last["imports"]:
            return "loads or empty", ""
        return end, words


def ask(cli, folder, paths):
    """Path → what blobscope-cli says, in the words of Environment.load() or "not certain", "not judged", and why."""
    run = subprocess.run([cli, "preflight", *paths, "--runtime", folder, "--system", "this", "--json"],
                         capture_output=True)
    if run.returncode not in (0, 1):
        raise SystemExit(run.stderr.decode(errors="replace"))
    out = {str(path): ("not judged", "") for path in paths}
    words = {"loads": "loads", "loads-without-modules": "empty", "unknown": "not certain"}
    for file in json.loads(run.stdout)["files"]:
        for target in file.get("targets", [])[:1]:
            ends = any(one["certain"] and one["crashes"] and one["step"] == target["step"] for one in target["missing"])
            said = words.get(target["verdict"], "fails")
            why = target["message"] or "; ".join(one["explanation"] for one in target["missing"][:1])
            out[file["path"]] = ("ends" if said == "fails" and ends else said, why)
    return out


def main():
    if "--" not in sys.argv or len(sys.argv) < 6:
        print(__doc__, file=sys.stderr)
        return 2
    at = sys.argv.index("--")
    cli, kept = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    paths = [path.resolve() for path in libraries(sys.argv[3:at])]
    environments = [Environment(Path(one).absolute()) for one in sys.argv[at + 1:]]
    real = json.loads(kept.read_text()) if kept.exists() else {}
    answers = {environment.folder: ask(cli, environment.folder, paths) for environment in environments}
    sums = {"equal": 0, "not certain": 0, "different": 0}
    print("| library | " + " | ".join(one.folder.name for one in environments) + " |\n|---|" + "---|" * len(environments))
    notes = []
    for path in paths:
        cells = []
        for environment in environments:
            key = f"{environment.folder} {path}"
            if key not in real:
                real[key] = environment.load(path)
                kept.write_text(json.dumps(real, indent=1))
            happened, words = real[key]
            if happened == "no runtime":
                happened = "fails"
            said, message = answers[environment.folder][str(path)]
            same = said in happened.split(" or ") or (said == "not judged" and happened != "ends")
            kind = "equal" if same else "not certain" if said == "not certain" else "different"
            sums[kind] += 1
            cells.append(said if same else f"**{said}**, really {happened}")
            if not same:
                text = re.sub(r"\s+", " ", words)[-200:]
                notes.append(f"- {kind}: {path.name} with {environment.folder.name}: said {said} ({message[:200]}); really "
                             f"{happened} ({text})")
        print(f"| {path.name} | " + " | ".join(cells) + " |", flush=True)
    print("\n" + "\n".join(notes))
    print(f"\n{len(paths)} libraries, {len(environments)} environments: " +
          ", ".join(f"{count} {word}" for word, count in sums.items()))
    return 1 if sums["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
