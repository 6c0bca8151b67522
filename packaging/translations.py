#!/usr/bin/env python3
"""Keeps resources/translations complete.

    translations.py update    adds new texts of the window, removes old ones, and lists what has to be translated
    translations.py check     reports every mistake in the translations; exits with 1 if there is one, with 77 if lupdate,
                              which finds the texts of the sources, is not installed and the rest is right

The texts are those in tr() and QT_TRANSLATE_NOOP() in ui/ and app/gui/. The English plurals are written in the sources;
see ui/text/plurals.h.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
# Plural forms of each language, as Qt counts them.
FORMS = {"de": 2}

Message = collections.namedtuple("Message", "context source comment numerus forms finished")


def lupdate():
    """Returns the path of Qt 6's lupdate, or None."""
    places = os.pathsep.join(["/usr/lib/qt6/bin", "/usr/lib64/qt6/bin", os.environ.get("PATH", "")])
    return shutil.which("lupdate", path=places) or shutil.which("lupdate6", path=places)


def run_lupdate(files):
    """Writes the texts of the sources to the files, keeping translations that are there."""
    command = [lupdate(), "-silent", "-no-obsolete", "-locations", "none", "-I", ROOT, ROOT / "ui", ROOT / "app" / "gui", "-ts", *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"lupdate failed: {done.stderr.strip()}")
    # A class without tr() of its own looks its texts up under the name of its base class and does not find them.
    lost = [line for line in done.stderr.splitlines() if "lacks Q_OBJECT" in line]
    return [f"{line.strip()}: add Q_DECLARE_TR_FUNCTIONS" for line in lost]


def messages(path):
    """Returns the messages of a .ts file."""
    out = []
    for context in ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            numerus = message.get("numerus") == "yes"
            forms = [form.text or "" for form in translation.iter("numerusform")] if numerus else [translation.text or ""]
            out.append(Message(context.findtext("name"), message.findtext("source") or "", message.findtext("comment") or "",
                               numerus, forms, translation.get("type") is None))
    return out


def place_holders(text):
    return collections.Counter(re.findall(r"%(?:L?\d|n)", text))


def has_shortcut(text):
    return len(re.findall(r"&\w", text.replace("&&", "")))


def problem(message, language):
    """Returns what is wrong with one translation; an empty text if nothing is."""
    if not message.finished or not all(message.forms):
        return "is not translated"
    if message.numerus and len(message.forms) != FORMS[language]:
        return f"needs {FORMS[language]} plural forms"
    source = message.source
    for form in message.forms:
        wanted = place_holders(source)
        if place_holders(form) != wanted and not (message.numerus and place_holders(form) + collections.Counter(["%n"]) == wanted):
            return f"has other placeholders: {form}"
        if has_shortcut(form) != has_shortcut(source):
            return f"has another number of shortcuts (&): {form}"
        for pattern in (r"^-", r"^ +", r" +$", r"…$", r"[.:!?]$", r"\n", r"\[\*\]", r"<[^>]*>"):
            if len(re.findall(pattern, form)) != len(re.findall(pattern, source)):
                return f"begins, ends or continues otherwise than the source: {form}"
        if re.search(r"\((?:s|[^()|]+\|[^()|]*)\)", form):
            return f"has an English plural: {form}"
    if message.numerus and "%n" in source and not any("%n" in form for form in message.forms[1:]):
        return "has no number in its plural"
    return ""


def test_problem():
    """The check finds what it is made for, and nothing else."""
    good = [("Open %1", False, ["%1 öffnen"]), ("&Open…", False, ["Ö&ffnen…"]), ("%n row(s)", True, ["%n Zeile", "%n Zeilen"]),
            ("The first %n (is|are) shown.", True, ["Der erste wird gezeigt.", "Die ersten %n werden gezeigt."]),
            ("A && B", False, ["A && B"]), ("-&Save", False, ["-&Speichern"])]
    bad = [("Open %1", False, ["Öffnen"]), ("Open %1", False, ["%2 öffnen"]), ("&Open…", False, ["Öffnen…"]), ("&Open…", False, ["Ö&ffnen"]),
           ("Open", False, ["Ö&ffnen"]), ("Open", False, [""]), ("%n row(s)", True, ["%n Zeilen"]), ("%n row(s)", True, ["%n Zeile", ""]),
           ("%n row(s)", True, ["%n Zeile(n)", "%n Zeile(s)"]), ("%n row(s)", True, ["Zeile", "Zeilen"]), ("%1 of %n row(s)", True, ["%n Zeile", "%n Zeilen"]),
           ("-&Save", False, ["&Speichern"]), (" s", False, ["s"]), ("Done.", False, ["Fertig"])]
    for rows, wrong in ((good, False), (bad, True)):
        for source, numerus, forms in rows:
            if bool(problem(Message("", source, "", numerus, forms, True), "de")) != wrong:
                yield f"translations.py: the check {'does not see' if wrong else 'refuses'} {forms} for '{source}'"
    if not problem(Message("", "Open", "", False, ["Öffnen"], False), "de"):
        yield "translations.py: the check does not see an unfinished translation"


def named(message):
    return f"{message.context}: '{message.source}'" + (f" ({message.comment})" if message.comment else "")


def check():
    problems = list(test_problem())
    files = sorted(FOLDER.glob("blobscope_*.ts"))
    if not files:
        problems.append("resources/translations has no translation")
    for path in files:
        language = path.stem.split("_", 1)[1]
        known = messages(path)
        for message in known:
            if why := problem(message, language):
                problems.append(f"{path.name}: {named(message)} {why}")
        if not lupdate():
            continue
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder) / path.name
            problems += run_lupdate([fresh])
            wanted = {message[:4] for message in messages(fresh)}
        if len(wanted) < 500:
            problems.append(f"only {len(wanted)} texts were found in the sources")
        there = {message[:4] for message in known}
        for kind, texts in (("is not in the file", wanted - there), ("is no longer in the sources", there - wanted)):
            problems += [f"{path.name}: {named(Message(*text, [], True))} {kind}" for text in sorted(texts)]
    for line in dict.fromkeys(problems):
        print(line)
    if problems:
        print(f"{len(problems)} problems: run packaging/dev.sh translations, then translate with Qt Linguist or an editor")
        return 1
    if not lupdate():
        print("lupdate is not installed (Debian: qt6-l10n-tools): whether the translations are complete is not checked")
        return 77
    return 0


def update():
    if not lupdate():
        sys.exit("lupdate is not installed (Debian: qt6-l10n-tools)")
    files = sorted(FOLDER.glob("blobscope_*.ts"))
    for line in run_lupdate(files):
        print(line)
    for path in files:
        left = [message for message in messages(path) if problem(message, path.stem.split("_", 1)[1])]
        print(f"{path.relative_to(ROOT)}: {len(left)} texts have to be translated")
        for message in left:
            print(f"  {named(message)} {problem(message, path.stem.split('_', 1)[1])}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["update"], ["check"]):
        sys.exit(__doc__)
    sys.exit(check() if sys.argv[1] == "check" else update())
