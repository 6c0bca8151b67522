#!/usr/bin/env python3
"""Checks that sources compile alone: without the neighbours of their unity unit and without the precompiled header.

  compile_alone.py BUILD --all           checks every source that the build folder BUILD compiles
  compile_alone.py BUILD --changed       checks those that differ from the merge base with the main branch, or if that is
                                         this commit, from the commit before it; at most 20, the newest first
  compile_alone.py BUILD SOURCE…         checks these

BUILD needs compile_commands.json and the generated headers, so build it first. Only clang's syntax check runs; nothing
is written. Exit status: 0 all compile, 1 some do not, 2 could not be done, 77 nothing to compare with: without git or its
history, --changed says what is missing and checks nothing.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_CHANGED = 20


def without_header_and_output(words):
    """The arguments of the compiler without the precompiled header, the output, the input and the sanitizers."""
    kept, index = [], 0
    while index < len(words):
        word = words[index]
        if word in ("-o", "-c", "-MF", "-MT", "-MQ"):
            index += 2
        elif word == "-Xclang" and index + 1 < len(words):
            # -Xclang -include-pch -Xclang FILE -Xclang -include -Xclang FILE
            if words[index + 1] in ("-include-pch", "-include", "-emit-pch"):
                index += 2 if words[index + 1] == "-emit-pch" else 4
            else:
                kept += words[index : index + 2]
                index += 2
        elif word == "-include" and index + 1 < len(words) and "cmake_pch" in words[index + 1]:
            index += 2
        elif word in ("-MD", "-MMD", "-Winvalid-pch", "-fpch-instantiate-templates") or word.startswith("-fsanitize"):
            index += 1
        else:
            kept.append(word)
            index += 1
    return kept


def read_commands(build):
    """The command of each source: that of the unit that includes it, if units are compiled."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        entries = json.load(stream)
    commands = {}
    for entry in entries:
        words = entry.get("arguments") or shlex.split(entry["command"])
        if os.path.basename(words[0]).startswith("ccache"):
            words = words[1:]
        command = without_header_and_output(words)
        path = os.path.join(entry["directory"], entry["file"])
        sources = [path]
        if path.startswith(build + os.sep):
            if "/Unity/" not in path or not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as stream:
                sources = re.findall(r'^#include "(.+)"$', stream.read(), re.MULTILINE)
        for source in sources:
            source = os.path.normpath(source)
            if source.endswith(".cpp") and not source.startswith(build + os.sep):
                commands.setdefault(source, (command, entry["directory"]))
    return commands


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def changed_sources():
    """The changed sources, or None with the reason why they are not known."""
    try:
        head = git("rev-parse", "HEAD")
    except OSError:
        return None, "git is not installed"
    if not head:
        return None, "this folder is not a git repository"
    base = None
    for branch in ("origin/HEAD", "origin/main", "origin/master", "main", "master"):
        base = git("merge-base", "HEAD", branch)
        if base:
            break
    if not base or base == head:
        base = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    if not base:
        return None, "the history has no commit before this one"
    names = git("diff", "--name-only", "--diff-filter=d", base)
    added = git("ls-files", "--others", "--exclude-standard")
    if names is None or added is None:
        return None, "git cannot compare with " + base
    paths = [os.path.join(ROOT, name) for name in (names + "\n" + added).split("\n") if name.endswith(".cpp")]
    paths.sort(key=lambda path: -os.path.getmtime(path))
    return paths, base[:12]


def check(source, command, stubs):
    """Compiles one source. What moc makes of it may not be there yet; an empty file stands for it."""
    words, directory = command
    with open(source, encoding="utf-8") as stream:
        for name in re.findall(r'^#include "([^"/]+\.moc)"$', stream.read(), re.MULTILINE):
            open(os.path.join(stubs, name), "w", encoding="utf-8").close()
    quiet = "-Wno-everything" if "clang" in os.path.basename(words[0]) else "-w"
    done = subprocess.run([*words, "-fsyntax-only", quiet, "-I" + stubs, source], cwd=directory, capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    if len(sys.argv) < 3:
        sys.stderr.write(__doc__)
        return 2
    build = os.path.abspath(sys.argv[1])
    try:
        commands = read_commands(build)
    except OSError as error:
        print(f"compile_alone: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    note = ""
    if sys.argv[2] == "--all":
        sources = sorted(commands)
    elif sys.argv[2] == "--changed":
        sources, what = changed_sources()
        if sources is None:
            print(f"no git history to compare with: {what}")
            return 77
        sources = [source for source in sources if source in commands]
        note = f" that changed since {what}"
        if len(sources) > MOST_CHANGED:
            note += f" ({len(sources) - MOST_CHANGED} more are checked by dev.sh matrix)"
            sources = sources[:MOST_CHANGED]
    else:
        sources = [os.path.abspath(source) for source in sys.argv[2:]]
        for source in sources:
            if source not in commands:
                print(f"compile_alone: {source}: not compiled in {build}", file=sys.stderr)
                return 2
    failed = 0
    with tempfile.TemporaryDirectory() as stubs, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = {pool.submit(check, source, commands[source], stubs): source for source in sources}
        for job in concurrent.futures.as_completed(jobs):
            status, output = job.result()
            if status != 0:
                failed += 1
                print(f"compile_alone: {os.path.relpath(jobs[job], ROOT)} does not compile alone:\n{output}", flush=True)
    print(f"compile_alone: {len(sources) - failed} of {len(sources)} sources{note} compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
