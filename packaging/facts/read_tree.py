#!/usr/bin/env python3
"""Compares the tables functions.json and arguments.json with the sources of a release of TVM, or updates them.

    read_tree.py TREE RELEASE [--write]

TREE is a checkout of apache/tvm at a tag, or the folder `tvm` of an installed package, which has src/runtime. RELEASE
is a name that runtimes.json has, for instance 0.27. Without --write, the differences are printed. With --write, the
tables get what the sources have for this release. A package lacks a part of the sources (src/backend, files for CUDA):
functions that are only in the table are counted, and they stay. A number of arguments that is known from what a
function reads is a lower bound, as a script does not see every read: a higher one in the table stays, too.
"""
import argparse
import re
import sys
from pathlib import Path

import sources
from tables import Table, Releases

NAMES = re.compile(r"^(?:vm\.|runtime\.|relax\.run\.)")  # what bytecode can call


def read_functions(found, table, releases, release, complete, write):
    """Prints, or writes, the functions that the sources register. Returns the number of differences."""
    names = {}
    for one in found:
        names.setdefault(one.flag, set()).add(one.name)
        if one.name.startswith("runtime.disco.nccl."):  # the same source, built for RCCL
            names.setdefault("USE_RCCL", set()).add(one.name.replace("nccl", "rccl", 1))
    differences = 0
    for flag, registered in sorted(names.items()):
        known = {name for name, ranges in table.content["functions"].get(flag, {}).items()
                 if release in releases.parse(ranges)}
        for name in sorted(registered - known):
            print(f"functions.json: {flag}: {name} is not in the table")
        if complete:
            for name in sorted(known - registered):
                print(f"functions.json: {flag}: {name} is not in the sources")
        elif known - registered:
            print(f"functions.json: {flag}: {len(known - registered)} of {len(known)} functions are not in this part "
                  "of the sources")
            registered |= known
        differences += len(registered ^ known)
        if write:
            group = table.content["functions"].setdefault(flag, {})
            for name in registered | known:
                numbers = releases.parse(group.get(name, "")) - {release}
                group[name] = releases.text(numbers | ({release} if name in registered else set()))
                if not group[name]:
                    del group[name]
    return differences


def record_of(counts):
    out = {"by": counts.by}
    if counts.minimum is not None:
        out["min"] = counts.minimum
    if counts.maximum is not None:
        out["max"] = counts.maximum
    return out


def read_arguments(found, texts, table, releases, release, write):
    """Prints, or writes, the numbers of arguments. Returns the number of differences."""
    differences = 0
    functions = table.content["functions"]
    for one in sorted(found, key=lambda item: item.name):
        if not NAMES.match(one.name) or one.flag == "compiler":
            continue
        counts = sources.counts_of(one, texts)
        if counts is None:
            print(f"arguments.json: {one.name}: the sources do not show its arguments ({one.path})")
            continue
        wanted = record_of(counts)
        records = functions.get(one.name, [])
        current = [item for item in records if release in releases.parse(item["in"])]
        same = [item for item in current if all(item.get(key) == wanted.get(key) for key in ("min", "max", "by"))
                or wanted["by"] == item["by"] == "read" and wanted["min"] <= item["min"]]
        if not same:
            differences += 1
            shown = [{key: item[key] for key in ("min", "max", "by") if key in item} for item in current]
            print(f"arguments.json: {one.name}: {wanted} in the sources, {shown} in the table")
        if write:
            if not same:
                set_record(functions.setdefault(one.name, []), wanted, releases, release)
            set_check(table.content["checks"], one.name, counts.check, releases, release)
    return differences


def set_record(records, wanted, releases, release):
    for item in list(records):
        item["in"] = releases.text(releases.parse(item["in"]) - {release})
        if not item["in"]:
            records.remove(item)
    for item in records:
        if {key: value for key, value in item.items() if key != "in"} == wanted:
            item["in"] = releases.text(releases.parse(item["in"]) | {release})
            return
    records.append({"in": releases.text({release}), **wanted})


def set_check(checks, name, text, releases, release):
    """Keeps the text of a check for a release."""
    current = {shown: releases.parse(ranges) - {release} for ranges, shown in checks.get(name, {}).items()}
    if text:
        current.setdefault(text, set()).add(release)
    kept = {releases.text(numbers): shown for shown, numbers in current.items() if numbers}
    if kept:
        checks[name] = dict(sorted(kept.items(), key=lambda item: min(releases.parse(item[0]))))
    elif name in checks:
        del checks[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("release")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    releases = Releases(Table("runtimes"))
    release = releases.find(options.release)
    if release is None:
        parser.error(f"'{options.release}' is not a release of runtimes.json")
    found = sources.read_tree(options.tree)
    if not found:
        parser.error(f"'{options.tree}' has no sources of TVM")
    functions, arguments = Table("functions"), Table("arguments")
    texts = list(sources.header_sources(options.tree))
    complete = (options.tree / "CMakeLists.txt").exists()
    differences = read_functions(found, functions, releases, release, complete, options.write)
    differences += read_arguments(found, texts, arguments, releases, release, options.write)
    print(f"{len(found)} registrations, {differences} differences")
    if options.write:
        functions.save()
        arguments.save()
    return 0 if options.write or differences == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
