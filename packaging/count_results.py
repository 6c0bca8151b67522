#!/usr/bin/env python3
"""Counts test functions over all configurations and prints "N passed, N failed" as its last line.

    count_results.py RESULTS

RESULTS contains CONFIG.ctest.xml (the results of ctest, one case per program) and CONFIG/PROGRAM[.CLASS].xml (the
results of the programs, one case per test function). A program without a file of its own counts as one test. A program
that crashed counts at least one failure. With CI set, a skip counts as failed unless its reason is allowed.
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ALLOWED_SKIPS = re.compile(r"no GPU|no git history|no NVRTC|no CUDA toolkit|apache-tvm is not installed|corpus absent|no archives in the corpus|no expectations|has no Relay|can load modules of kind|(wine|mingw) is not installed")

# A report of CI may show only its end, so the messages of failures are repeated there.
MESSAGE = 1500


class Count:
    def __init__(self):
        self.passed = self.failed = 0
        self.skips = collections.Counter()
        self.failures = []

    def skip(self, reason, name):
        self.skips[reason] += 1
        if os.environ.get("CI") and not ALLOWED_SKIPS.search(reason):
            self.fail(f"{name}: skipped in CI: {reason}")

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)

    def add_file(self, path):
        """Adds the cases of one JUnit file; returns how many of them failed. A damaged file is a failure."""
        try:
            cases = list(ElementTree.parse(path).getroot().iter("testcase"))
        except ElementTree.ParseError:
            self.fail(f"{path.stem}: died before its results were written")
            return 1
        failed = 0
        for case in cases:
            name = f"{path.stem}.{case.get('name')}"
            if case.get("name") in ("initTestCase", "cleanupTestCase") and not list(case):
                continue
            skipped = case.find("skipped")
            if problems := [*case.iter("failure"), *case.iter("error")]:
                message = f"{problems[0].get('message') or ''}\n{problems[0].text or ''}".strip()
                self.fail(f"{name}: {message[:MESSAGE]}")
                failed += 1
            elif skipped is not None:
                self.skip(skipped.get("message") or (skipped.text or "").strip() or "no reason", name)
            else:
                self.passed += 1
        return failed


def main():
    results = Path(sys.argv[1])
    count = Count()
    programs = 0
    own_files = {path for folder in results.iterdir() if folder.is_dir() for path in folder.glob("*.xml")}
    for ctest_file in sorted(results.glob("*.ctest.xml")):
        folder = results / ctest_file.name.removesuffix(".ctest.xml")
        for case in ElementTree.parse(ctest_file).getroot().iter("testcase"):
            programs += 1
            name, died = case.get("name"), case.get("status") != "run"
            files = sorted(p for p in own_files if p.parent == folder and p.name.split(".")[0] == name)
            failed = sum(count.add_file(path) for path in files)
            own_files -= set(files)
            skipped = case.find("skipped")
            if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
                count.skip(([line for line in (case.findtext("system-out") or "").splitlines() if line.strip()] or ["no reason"])[-1], name)
            elif died and failed == 0:
                count.fail(f"{folder.name}/{name}: ended badly")
            elif not died and not files:
                count.passed += 1
    for path in sorted(own_files):
        programs += 1
        count.add_file(path)
    if programs == 0:
        count.fail("no test ran")

    for name in count.failures:
        print(f"FAILED: {name}")
    for reason, number in sorted(count.skips.items()):
        print(f"skipped: {reason}: {number}")
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


sys.exit(main())
