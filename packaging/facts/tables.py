"""Reads and writes the tables of resources/facts: one entry per line, and releases as ranges."""
import datetime
import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "resources" / "facts"


class Table:
    """A table. `save` sets its date."""

    def __init__(self, name):
        self.path = FOLDER / f"{name}.json"
        self.content = json.loads(self.path.read_text(encoding="ascii"))

    def save(self):
        """Writes nothing when the content is the same."""
        if self.text() == self.path.read_text(encoding="ascii"):
            return
        self.content["date"] = datetime.date.today().isoformat()
        self.path.write_text(self.text(), encoding="ascii")

    def text(self):
        return "{\n" + ",\n".join(f"{json.dumps(key)}: {member(value)}" for key, value in self.content.items()) + "\n}\n"


def line(value):
    return json.dumps(value, separators=(", ", ": "))


def member(value):
    """A member of the table: lists and objects with one entry per line."""
    if isinstance(value, list):
        return "[\n" + ",\n".join("  " + line(item) for item in value) + "\n]"
    if not isinstance(value, dict):
        return line(value)
    if "always" in value:  # functions.json has one more level
        rows = [f" {line(key)}: {{\n" + ",\n".join(f"  {line(name)}: {line(item[name])}" for name in sorted(item)) + "\n }"
                for key, item in value.items()]
    else:
        rows = [f"  {line(key)}: {line(item)}" for key, item in value.items()]
    return "{\n" + ",\n".join(rows) + "\n}"


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
