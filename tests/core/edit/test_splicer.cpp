#include "core/edit/splicer.h"

#include "core/base/wire.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// A structure with one field of each form that a splice can change.
struct Sample {
  Bytes name, empty, words, tail;
  uint32_t number = 0;
  std::vector<Bytes> tags, none;
  struct Entry {
    Bytes key, code;
  };
  std::vector<Entry> entries;
};

template <class A> void wire(A& ar, wire_ref<A, Sample> v) {
  ar.string("name", v.name);
  ar.number("number", v.number);
  ar.sized("body", [&](A& body) {
    body.string("empty", v.empty);
    body.list("tags", v.tags, 8, [](A& a, auto& tag) { a.string("", tag); });
    body.list("none", v.none, 8, [](A& a, auto& tag) { a.string("", tag); });
    body.list("entries", v.entries, 16, [](A& a, auto& entry) {
      a.group("", [&](A& inner) {
        inner.string("key", entry.key);
        inner.data("code", entry.code);
      });
    });
  });
  ar.words("words", v.words);
  ar.raw("tail", v.tail, 4);
}

std::string sample(const std::string& name = "name", const std::string& empty = "",
                   const std::vector<std::string>& tags = {"a", "bb"}, const std::vector<std::string>& none = {},
                   const std::vector<std::pair<std::string, std::string>>& entries = {{"k", "code"}, {"l", ""}},
                   const std::string& words = "\1\0\0\0\2\0\0\0"s) {
  ByteBuilder body;
  body.str(empty).u64(tags.size());
  for (const std::string& tag : tags) body.str(tag);
  body.u64(none.size());
  for (const std::string& tag : none) body.str(tag);
  body.u64(entries.size());
  for (const auto& [key, code] : entries) body.str(key).str(code);
  return ByteBuilder().str(name).u32(7).str(body.take()).u64(words.size() / 4).raw(words).raw("tail").take();
}

FieldTree treeOf(const std::string& text) {
  const Bytes all = bytes(text);
  Reader reader(all);
  ReadArchive read(reader, {});
  Sample value;
  wire(read, value);
  if (!reader.ok() || reader.position() != all.size()) qFatal("the sample cannot be read");
  FieldTreeBuilder builder;
  DescribeArchive describe(builder);
  wire(describe, value);
  return builder.take(all);
}

/// Calls for the sample, by paths.
class Calls {
public:
  explicit Calls(const std::string& text = sample()) : tree(treeOf(text)), splicer(tree) {}

  uint32_t row(std::string_view path) const {
    const auto found = tree.find(path);
    if (!found) qFatal("no field of that path");
    return *found;
  }
  /// Replaces the content of the field by `text`.
  Calls& set(std::string_view path, const std::string& text) {
    const Field& field = tree.rows[row(path)];
    const uint64_t size = tree.content(row(path)).size();
    note(splicer.replace({field.offset + field.size - size, size}, bytes(text), std::string(path)));
    return *this;
  }
  /// The same for some of its bytes.
  Calls& setPart(std::string_view path, Extent part, const std::string& text) {
    const Field& field = tree.rows[row(path)];
    const uint64_t start = field.offset + field.size - tree.content(row(path)).size();
    note(splicer.replace({start + part.offset, part.size}, bytes(text), std::string(path)));
    return *this;
  }
  Calls& remove(std::string_view path) {
    splicer.removeItem(row(path), std::string(path));
    return *this;
  }
  Calls& add(std::string_view path, const std::string& text) {
    splicer.addItem(row(path), bytes(text), std::string(path));
    return *this;
  }
  Calls& list(std::string_view path, const std::string& text) {
    splicer.replaceList(row(path), bytes(text), std::string(path));
    return *this;
  }
  /// The result, or the message of the error.
  std::string result() const {
    if (!m_error.empty()) return m_error;
    const auto made = splicer.apply("m0");
    return made ? std::string(made->view()) : made.error().message();
  }

  FieldTree tree;
  edit::Splicer splicer;

private:
  void note(const Result<Done>& done) {
    if (!done && m_error.empty()) m_error = done.error().message();
  }
  std::string m_error;
};

const std::vector<std::string> kTags = {"a", "bb"};
const std::vector<std::pair<std::string, std::string>> kEntries = {{"k", "code"}, {"l", ""}};

} // namespace

class TestSplicer : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void withoutSplicesNothingChanges() {
    Calls calls;
    QVERIFY(calls.splicer.empty());
    QCOMPARE(calls.result(), sample());
  }

  void splicesUpdateTheirLengths_data() {
    QTest::addColumn<std::string>("found");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const Calls& calls, const std::string& expected) {
      QTest::newRow(name) << calls.result() << expected;
    };
    row("longer text", Calls().set("name", "a longer name"), sample("a longer name"));
    row("shorter text", Calls().set("name", "n"), sample("n"));
    row("no text", Calls().set("name", ""), sample(""));
    row("the same text", Calls().set("name", "name"), sample());
    row("part of a text", Calls().setPart("name", {1, 2}, "ooooo"), sample("noooooe"));
    row("text in a structure with a length", Calls().set("body.tags[1]", "longer"),
        sample("name", "", {"a", "longer"}));
    row("empty text", Calls().set("body.empty", "full"), sample("name", "full"));
    row("empty text twice, the later one counts", Calls().set("body.empty", "first").set("body.empty", "second"),
        sample("name", "second"));
    row("the same place twice, the later one counts", Calls().set("name", "first").set("name", "second one"),
        sample("second one"));
    row("number", Calls().set("number", "\x09\0\0\0"s), [] {
      std::string text = sample();
      text[12] = 9;
      return text;
    }());
    row("words, more of them", Calls().set("words", "\1\0\0\0\2\0\0\0\3\0\0\0"s),
        sample("name", "", kTags, {}, kEntries, "\1\0\0\0\2\0\0\0\3\0\0\0"s));
    row("words, none", Calls().set("words", ""), sample("name", "", kTags, {}, kEntries, ""));
    row("one word", Calls().setPart("words", {4, 4}, "\x05\0\0\0"s),
        sample("name", "", kTags, {}, kEntries, "\1\0\0\0\5\0\0\0"s));
    row("bytes without a length, same size", Calls().set("tail", "TAIL"), [] {
      std::string text = sample();
      return text.replace(text.size() - 4, 4, "TAIL");
    }());
    row("item removed", Calls().remove("body.tags[0]"), sample("name", "", {"bb"}));
    row("item removed twice is removed once", Calls().remove("body.tags[0]").remove("body.tags[0]"),
        sample("name", "", {"bb"}));
    row("all items removed", Calls().remove("body.tags[0]").remove("body.tags[1]"), sample("name", "", {}));
    row("group removed", Calls().remove("body.entries[0]"), sample("name", "", kTags, {}, {{"l", ""}}));
    row("item added", Calls().add("body.tags", ByteBuilder().str("new").take()),
        sample("name", "", {"a", "bb", "new"}));
    row("two items added",
        Calls().add("body.tags", ByteBuilder().str("x").take()).add("body.tags", ByteBuilder().str("y").take()),
        sample("name", "", {"a", "bb", "x", "y"}));
    row("item added to an empty list", Calls().add("body.none", ByteBuilder().str("new").take()),
        sample("name", "", kTags, {"new"}));
    row("added, removed and changed",
        Calls()
            .add("body.entries", ByteBuilder().str("m").str("c").take())
            .remove("body.entries[0]")
            .set("body.entries[1].key", "long"),
        sample("name", "", kTags, {}, {{"long", ""}, {"m", "c"}}));
    row("empty text at the end of a list, then an item",
        Calls().set("body.entries[1].code", "now").add("body.entries", ByteBuilder().str("m").str("c").take()),
        sample("name", "", kTags, {}, {{"k", "code"}, {"l", "now"}, {"m", "c"}}));
    row("an item, then the empty text before it",
        Calls().add("body.entries", ByteBuilder().str("m").str("c").take()).set("body.entries[1].code", "now"),
        sample("name", "", kTags, {}, {{"k", "code"}, {"l", "now"}, {"m", "c"}}));
    row("whole list", Calls().list("body.tags", ByteBuilder().raw(ByteBuilder().u64(1).str("only").take()).take()),
        sample("name", "", {"only"}));
    row("empty list made full", Calls().list("body.none", ByteBuilder().u64(1).str("one").take()),
        sample("name", "", kTags, {"one"}));
    row("many places at once",
        Calls()
            .set("name", "n2")
            .set("body.empty", "e")
            .set("body.tags[0]", "tag")
            .remove("body.entries[1]")
            .set("words", ""),
        sample("n2", "e", {"tag", "bb"}, {}, {{"k", "code"}}, ""));
  }
  void splicesUpdateTheirLengths() {
    QFETCH(std::string, found);
    QFETCH(std::string, expected);
    QCOMPARE(found, expected);
  }

  void impossibleSplicesAreRefused_data() {
    QTest::addColumn<std::string>("found");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const Calls& calls, const char* expected) {
      QTest::newRow(name) << calls.result() << std::string(expected);
    };
    row("number of another size", Calls().set("number", "12345"),
        "cannot set 'number' to 5 bytes: its place has 4 bytes");
    row("bytes without a length, longer", Calls().set("tail", "longer"),
        "cannot set 'tail' to 6 bytes: its place has 4 bytes");
    row("half a word", Calls().set("words", "123456"),
        "cannot set 'words' to 6 bytes: it consists of words of 4 bytes");
    row("item changed and removed", Calls().set("body.tags[0]", "x").remove("body.tags[0]"),
        "two edits change the same bytes of module m0: body.tags[0] and another edit of body.tags[0]");
    row("item changed in a list that is replaced",
        Calls().list("body.tags", ByteBuilder().u64(0).take()).set("body.tags[1]", "x"),
        "two edits change the same bytes of module m0: body.tags and body.tags[1]");
    row("overlapping parts", Calls().setPart("name", {0, 3}, "x").setPart("name", {2, 2}, "y"),
        "two edits change the same bytes of module m0: name and another edit of name");
    row("item added to a list that is replaced",
        Calls().list("body.tags", ByteBuilder().u64(0).take()).add("body.tags", ByteBuilder().str("x").take()),
        "two edits change the same bytes of module m0: body.tags and another edit of body.tags");
  }
  void impossibleSplicesAreRefused() {
    QFETCH(std::string, found);
    QFETCH(std::string, expected);
    QCOMPARE(found, expected);
  }

  /// A counter that is not the length of any row in the tree is increased by the size of each splice once.
  void counterIncludesEachSpliceOnce() {
    const std::string image = ByteBuilder().u32(0).u32(6).raw("abcdef").take();
    const std::string text = sample("name", "", kTags, {}, {{"k", image}, {"l", ""}});
    const auto with = [&](uint32_t size, const std::string& content) {
      return sample("name", "", kTags, {}, {{"k", ByteBuilder().u32(0).u32(size).raw(content).take()}, {"l", ""}});
    };
    Calls calls(text);
    const Field& field = calls.tree.rows[calls.row("body.entries[0].code")];
    const edit::Splicer::Counter counter{field.offset + 8 + 4, 4};
    const auto replace = [&](Extent part, const char* content) {
      return calls.splicer.replace({field.offset + 16 + part.offset, part.size}, bytes(content), "image", counter)
          .hasValue();
    };
    QVERIFY(replace({0, 2}, "first"));
    QVERIFY(replace({0, 2}, "1234"));
    QCOMPARE(calls.result(), with(8, "1234cdef"));
    QVERIFY(replace({4, 2}, ""));
    QCOMPARE(calls.result(), with(6, "1234cd"));
    calls.splicer.insert(field.offset + field.size, bytes("END"), "added", counter);
    QCOMPARE(calls.result(), with(9, "1234cdEND"));
  }
};

BLOBSCOPE_TEST(TestSplicer);
#include "test_splicer.moc"
