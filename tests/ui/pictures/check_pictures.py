#!/usr/bin/env python3
"""Are the pictures of the README up to date? Draws them again and compares the texts of the window.

    check_pictures.py DRAW

DRAW is the program blobscope_pictures. Compared are the texts beside the pictures (resources/screenshots/NAME-light.txt), so
colours do not matter. The font Inter does, because the widths of its letters decide which texts fit. The pictures of runs
are left out: they show times of the machine. When the texts differ, `packaging/dev.sh pictures` draws them again.
"""
import difflib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
KNOWN = ROOT / "resources" / "screenshots"


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
        environment.pop("BLOBSCOPE_RUNNER", None)
        draw = [ROOT / "packaging" / "pictures.sh", sys.argv[1], ROOT / "resources" / "sample", folder, "light"]
        subprocess.run(draw, check=True, env=environment)
        drawn = {path.name: path for path in Path(folder).glob("*.txt")}
        known = {path.name: path for path in KNOWN.glob("*-light.txt")}
        bad = sorted(drawn.keys() ^ known.keys())
        for name in bad:
            print(f"{name}: {'was not drawn' if name in known else 'is not in resources/screenshots'}")
        for name in sorted(drawn.keys() & known.keys()):
            old, new = (path.read_text(encoding="utf-8").splitlines() for path in (known[name], drawn[name]))
            if old != new:
                bad.append(name)
                print("\n".join(difflib.unified_diff(old, new, f"picture {name}", "window", lineterm="", n=1)))
    if bad:
        print(f"{len(bad)} of {len(drawn)} pictures are out of date: run packaging/dev.sh pictures")
    return 1 if bad or len(drawn) < 10 else 0


sys.exit(main())
