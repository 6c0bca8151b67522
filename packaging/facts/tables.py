"""Reads and writes the tables of resources/facts: one entry per line, and releases as ranges. The scripts look entries
up by name; in the files, names with the same content stand together, which makes reading them faster."""
import datetime
import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "resources" / "facts"


class Table:
    """A table. `save` sets its date."""

    def __init__(self, name):
        self.path = FOLDER / f"{name}.json"
        self.content = json.loads(self.path.read_text(encoding="ascii"))
        if name == "functions":
            self.content["functions"] = {flag: by_name(ranges) for flag, ranges in self.content["functions"].items()}
        elif name == "arguments":
            self.content["functions"] = records_by_name(self.content["functions"])

    def save(self):
        """Writes nothing when the content is the same."""
        if self.text() == self.path.read_text(encoding="ascii"):
            return
        self.content["date"] = datetime.date.today().isoformat()
        self.path.write_text(self.text(), encoding="ascii")

    def text(self):
        rows = []
        for key, value in self.content.items():
            if key != "functions":
                text = member(value)
            elif self.path.stem == "functions":
                text = "{\n" + ",\n".join(f" {line(flag)}: {{\n{by_range(names)}\n }}"
                                        for flag, names in value.items()) + "\n}"
            else:
                text = by_record(value)
            rows.append(f"{line(key)}: {text}")
        return "{\n" + ",\n".join(rows) + "\n}\n"


def by_name(ranges):
    """{"0.6..0.27": ["a", "b"]} as {"a": "0.6..0.27", "b": "0.6..0.27"}."""
    return {name: releases for releases, names in ranges.items() for name in names}


def by_range(names):
    """The lines of the opposite."""
    ranges = {}
    for name in sorted(names):
        ranges.setdefault(names[name], []).append(name)
    return ",\n".join(f"  {line(releases)}: [\n{name_lines(found)}]" for releases, found in ranges.items())


def records_by_name(groups):
    """[{"in": "0.16", "min": 1, "names": ["a", "b"]}] as {"a": [{"in": "0.16", "min": 1}], "b": ...}."""
    out = {}
    for group in groups:
        record = {key: value for key, value in group.items() if key != "names"}
        for name in group["names"]:
            out.setdefault(name, []).append(dict(record))
    return out


def by_record(functions):
    """The lines of the opposite."""
    groups = {}
    for name in sorted(functions):
        for record in functions[name]:
            groups.setdefault(line(record), []).append(name)
    return "[\n" + ",\n".join(f"  {record[:-1]}, \"names\": [\n{name_lines(names)}]}}"
                              for record, names in groups.items()) + "\n]"


def name_lines(names):
    return ",\n".join("   " + line(name) for name in names)


def line(value):
    return json.dumps(value, separators=(", ", ": "))


def member(value):
    """A member of the table: lists and objects with one entry per line."""
    if isinstance(value, list):
        return "[\n" + ",\n".join("  " + line(item) for item in value) + "\n]"
    if not isinstance(value, dict):
        return line(value)
    return "{\n" + ",\n".join(f"  {line(key)}: {line(item)}" for key, item in value.items()) + "\n}"


class Releases:
    """The releases of runtimes.json and texts such as "0.16..0.23 0.27". Releases are numbers, as in the program."""

    def __init__(self, table):
        self.names = [row["name"] for row in table.content["releases"]]
        # "0.27" for "v0.27", the whole name for others.
        self.words = [row["label"][1:] if row["label"].startswith("v") else row["name"]
                      for row in table.content["releases"]]

    def find(self, name):
        name = name.split(".post")[0]
        for number, word in enumerate(self.words):
            if name.lstrip("v") == word or name in (self.names[number], self.names[number][1:]):
                return number
        return None

    def parse(self, text):
        out = set()
        for word in text.split():
            first, _, last = word.partition("..")
            out |= set(range(self.words.index(first), self.words.index(last or first) + 1))
        return out

    def text(self, numbers):
        """Ranges of releases of TVM itself do not continue to others."""
        out = []
        for number in sorted(numbers):
            own = self.names[number].startswith("v")
            if out and out[-1][1] == number - 1 and own:
                out[-1][1] = number
            else:
                out.append([number, number])
        return " ".join(self.words[first] if first == last else f"{self.words[first]}..{self.words[last]}"
                        for first, last in out)
