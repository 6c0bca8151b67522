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
import os
import re
import subprocess
import sys
from pathlib import Path

# Prints one line of JSON about a load, also when the process ends right after it.
LOADER = r"""
import json, os, sys
from pathlib import Path
def say(**what): os.write(1, (json.dumps(what) + "\n").encode())
site = next(Path(p) for p in sys.path if p.endswith("site-packages"))
machine = None
try:
    if (site / "tvm").is_dir():
        import tvm
        load, machine = tvm.runtime.load_module, lambda m: tvm.relax.VirtualMachine(m, tvm.cpu())
        try:
            import tvm.relax
        except Exception:
            pass
    elif (site / "tvm_tirx").is_dir():
        import tvm_tirx, tvm_ffi
        load = tvm_ffi.load_module
    elif (site / "tilelang").is_dir():
        os.environ["TVM_LIBRARY_PATH"] = str(site / "tilelang" / "lib")
        sys.path.insert(0, str(site / "tilelang" / "3rdparty" / "tvm" / "python"))
        import tvm
        load, machine = tvm.runtime.load_module, lambda m: tvm.relax.VirtualMachine(m, tvm.cpu())
    else:
        import tvm_ffi
        load = tvm_ffi.load_module
except Exception as problem:
    say(end="no runtime", text=str(problem))
    raise SystemExit
say(end="starting")
try:
    module = load(sys.argv[1])
except Exception as problem:
    say(end="fails", text=str(problem))
    raise SystemExit
kinds = [child.kind if hasattr(child, "kind") else child.type_key for child in (getattr(module, "imports", None) or
                                                                                 getattr(module, "imported_modules", []))]
kind = module.kind if hasattr(module, "kind") else module.type_key
say(end="loads", kind=kind, imports=kinds)
if machine and kind.startswith("relax."):
    try:
        machine(module)
    except Exception as problem:
        say(end="fails", text=str(problem))
"""


def libraries(places):
    for place in places:
        for path in sorted(Path(place).rglob("*")) if Path(place).is_dir() else [Path(place)]:
            if path.is_file() and path.stat().st_size > 64:
                with path.open("rb") as file:
                    head = file.read(20)
                if head[:5] == b"\x7fELF\x02" and head[16:20] == b"\x03\0\x3e\0":
                    yield path


def load(environment, path):
    """What really happened: "loads", "empty", "fails", "ends" or "no runtime", and the last words."""
    run = subprocess.run([environment / "bin" / "python", "-c", LOADER, path], capture_output=True, text=True, timeout=300,
                         cwd="/")
    last = {}
    for line in run.stdout.splitlines():
        if line.startswith("{"):
            last = json.loads(line)
    end, words = last.get("end", ""), last.get("text", "")
    if run.returncode != 0 and end in ("", "starting"):
        return "ends", (run.stderr.strip().splitlines() or [f"status {run.returncode}"])[-1]
    if end == "loads" and last["kind"] == "library" and not last["imports"]:
        return "loads or empty", ""
    return end, words


def ask(cli, environment, path):
    run = subprocess.run([cli, "preflight", path, "--runtime", environment, "--system", "this", "--json"],
                         capture_output=True, timeout=300)
    if run.returncode not in (0, 1):
        return "error", run.stderr.decode(errors="replace").strip()
    file = json.loads(run.stdout)["files"][0]
    if not file["targets"]:
        return "not judged", ""
    target = file["targets"][0]
    ends = any(one["certain"] and one["crashes"] and one["step"] == target["step"] for one in target["missing"])
    said = {"loads": "loads", "loads-without-modules": "empty", "unknown": "not certain"}.get(target["verdict"], "fails")
    return "ends" if said == "fails" and ends else said, target["message"] or "; ".join(
        one["sentence"] for one in target["missing"][:1])


def main():
    if "--" not in sys.argv or len(sys.argv) < 6:
        print(__doc__, file=sys.stderr)
        return 2
    at = sys.argv.index("--")
    cli, kept = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    paths = [path.resolve() for path in libraries(sys.argv[3:at])]
    environments = [Path(one).absolute() for one in sys.argv[at + 1:]]
    real = json.loads(kept.read_text()) if kept.exists() else {}
    sums = {"equal": 0, "not certain": 0, "different": 0}
    print("| library | " + " | ".join(one.name for one in environments) + " |\n|---|" + "---|" * len(environments))
    notes = []
    for path in paths:
        cells = []
        for environment in environments:
            key = f"{environment} {path}"
            if key not in real:
                real[key] = load(environment, path)
                kept.write_text(json.dumps(real, indent=1))
            happened, words = real[key]
            if happened == "no runtime":
                happened = "fails"
            said, message = ask(cli, environment, path)
            same = said in happened.split(" or ") or (said == "not judged" and happened != "ends")
            kind = "equal" if same else "not certain" if said == "not certain" else "different"
            sums[kind] += 1
            cells.append(said if same else f"**{said}**, really {happened}")
            if not same:
                text = re.sub(r"\s+", " ", words)[-200:]
                notes.append(f"- {kind}: {path.name} with {environment.name}: said {said} ({message[:200]}); really "
                             f"{happened} ({text})")
        print(f"| {path.name} | " + " | ".join(cells) + " |", flush=True)
    print("\n" + "\n".join(notes))
    print(f"\n{len(paths)} libraries, {len(environments)} environments: " +
          ", ".join(f"{count} {word}" for word, count in sums.items()))
    return 1 if sums["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
