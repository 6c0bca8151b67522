#include "tests/core/mlf/clean_archives.h"
#include "tests/core/mlf/reported.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// Flat version 7, or the other way round.
Mlf wrapped(unsigned version, MlfStyle style) {
  Mlf mlf = cleanMlf(version, style);
  const std::string name = "default";
  mlf.metadata() = expanded(R"({"version": ${version}, "modules": {"${name}": ${module}}})",
                            {{"version", std::to_string(version)},
                             {"name", name},
                             {"module", mlfModule(version, style, name, mlfHasRuntime(version, style), false)}});
  return mlf;
}
Mlf flat(MlfStyle style) {
  Mlf mlf = cleanMlf(7, style);
  mlf.metadata() = mlfModule(7, style, "default", mlfHasRuntime(7, style), true);
  return mlf;
}
Mlf dated(const std::string& date) { return graph(5).meta("2022-08-01 12:00:00Z", date); }

} // namespace

class TestMetadataRules : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void eachDefectIsReported_data();
  void eachDefectIsReported() { BLOBSCOPE_COMPARE_FINDINGS(); }
  void findingsHaveLineAndOffset();
  void entriesWithoutTimeAndWithFractionsAreAccepted();
};

void TestMetadataRules::eachDefectIsReported_data() {
  addBrokenColumns();
  using test::broken;
  // --- the text ---
  broken("101", graph(7).meta(R"("modules")", "modules"),
         {"101 metadata.json: invalid JSON: unexpected content at 0x2"});
  broken("101 not UTF-8", graph(5).meta("default", "\xff"),
         {"101 metadata.json: invalid JSON: unexpected content at 0x23"});
  broken("102", graph(5).insertBefore("style", R"("model_name": "default")"),
         {"102 metadata.json: key 'model_name' occurs twice in one object"});
  broken("102 below", graph(7).insertBefore("device", R"("device": 1)"),
         {"102 metadata.json: key 'device' occurs twice in one object"});
  broken("102 graph", graph(5).in("./executor-config/graph/graph.json").insertBefore("heads", R"("arg_nodes": [0, 1])"),
         {"102 executor-config/graph/graph.json: key 'arg_nodes' occurs twice in one object"});
  broken("103", graph(5).add("./metadata.json", "[]"), {"103 metadata.json: root is an array, expected an object"});
  broken("104 missing", graph(5).drop("version"), {"104 metadata.json: version is 'missing'"});
  broken("104 text", graph(5).set("version", R"("5")"), {"104 metadata.json: version is '5'"});
  broken("104 fraction", graph(5).set("version", "5.5"), {"104 metadata.json: version is 'a number'"});
  broken("105", graph(5).set("version", "8"), {"105 metadata.json: unknown version 8"});
  broken("105 negative", graph(5).set("version", "-1"), {"105 metadata.json: unknown version -1"});

  // --- keys ---
  broken("106 modules in 5", wrapped(5, MlfStyle::Graph), {"106 metadata.json: modules layout with version 5"});
  broken("106 flat in 7", flat(MlfStyle::Graph), {"106 metadata.json: flat layout with version 7"});
  broken("106 operator", wrapped(7, MlfStyle::Operator),
         {"106 metadata.json: operator in modules layout with version 7"});
  broken("107 root", graph(4).drop("model_name"), {"107 metadata.json: the root lacks 'model_name'"});
  broken("107 module", graph(7).drop("style"), {"107 metadata.json: modules.default lacks 'style'"});
  broken("107 executors", graph(5).drop("executors").remove("./executor-config/graph/graph.json"),
         {"107 metadata.json: the root lacks 'executors'"});
  broken("107 date", graph(1).drop("export_datetime"), {"107 metadata.json: the root lacks 'export_datetime'"});
  broken("108 name", graph(5).set("model_name", "1"), {"108 metadata.json: model_name is a number, expected a string"});
  broken("108 modules", graph(7).add("./metadata.json", R"({"version": 7, "modules": []})"),
         {"108 metadata.json: modules is an array, expected an object"});
  broken("108 executors", op(5).set("executors", "{}"), {"108 metadata.json: executors is an object, expected a list"});
  broken("109 root", graph(5).insertBefore("style", R"("stile": 1)"),
         {"109 metadata.json: unknown key 'stile' in the root"});
  broken("109 style in 3", graph(3).insertBefore("memory", R"("style": "full-model")"),
         {"109 metadata.json: unknown key 'style' in the root"});
  broken("109 root of 7", graph(7).insertBefore("modules", R"("style": 1)"),
         {"109 metadata.json: unknown key 'style' in the root"});
  broken("109 main", graph(5).meta(R"("device": 1)", R"("device": 1, "inputs": {})"),
         {"109 metadata.json: unknown key 'inputs' in memory.functions.main[0]"});
  broken("109 sids", graph(2).meta(R"("storage_id": 1)", R"("x": 1, "storage_id": 1)"),
         {"109 metadata.json: unknown key 'x' in memory.sids[1]"});
  broken("110", graph(5).renameKey("executors", "runtimes"),
         {"110 metadata.json: version 5 must use 'executors', found 'runtimes'"});
  broken("110 old", graph(4).renameKey("runtimes", "executors"),
         {"110 metadata.json: version 4 must use 'runtimes', found 'executors'"});
  broken("111", aot(5).set("executors", R"(["vm"])"), {"111 metadata.json: unknown executor 'vm'"});
  broken("112 none", aot(5).set("executors", "[]"), {"112 metadata.json: executors lists 0 executors, expected one"});
  broken("112 two", graph(5).set("executors", R"(["graph", "aot"])"),
         {"112 metadata.json: executors lists 2 executors, expected one"});
  broken("112 operator", op(7).set("executors", R"(["aot"])"),
         {"112 metadata.json: executors lists 1 executor, expected none"});
  broken("113", graph(5).set("style", R"("model")"), {"113 metadata.json: unknown style 'model'"});
  broken("114", graph(7).add("./metadata.json", R"({"version": 7, "modules": {}})"), {"114 metadata.json: no modules"});
  broken("115 name", graph(7).set("model_name", R"("other")"),
         {"115 metadata.json: modules['default'].model_name is 'other'"});
  broken("115 key", graph(7).renameKey("modules/default", "other"),
         {"115 metadata.json: modules['other'].model_name is 'default'"});

  // --- dates and names ---
  const QString date = QStringLiteral("116 metadata.json: export_datetime '%1' is not YYYY-MM-DD HH:MM:SSZ%2");
  broken("116 T", dated("2022-08-01T12:00:00Z"), {date.arg("2022-08-01T12:00:00Z", "; it has a T instead of a space")});
  broken("116 no Z", dated("2022-08-01 12:00:00"), {date.arg("2022-08-01 12:00:00", "; the Z is missing")});
  broken("116 fraction", dated("2022-08-01 12:00:00.5Z"),
         {date.arg("2022-08-01 12:00:00.5Z", "; it has fractions of a second")});
  broken("116 offset", dated("2022-08-01 12:00:00+02:00"),
         {date.arg("2022-08-01 12:00:00+02:00", "; it has an offset instead of the Z")});
  broken("116 no such day", dated("2022-02-29 12:00:00Z"), {date.arg("2022-02-29 12:00:00Z", "")});
  broken("116 no such hour", dated("2022-08-01 24:00:00Z"), {date.arg("2022-08-01 24:00:00Z", "")});
  broken(
      "117 zone", dated("2022-08-01 05:00:00Z"),
      {"117 export_datetime differs by 7 h from the UTC time stamp of the archive; the builder's clock was at UTC-7"});
  broken(
      "117 half a zone", dated("2022-08-01 17:29:30Z"),
      {"117 export_datetime differs by 5 h 29 min from the UTC time stamp of the archive; the builder's clock was at "
       "UTC+5:30"});
  broken("117 minutes", dated("2022-08-01 12:02:01Z"),
         {"117 export_datetime differs by 2 min 1 s from the UTC time stamp of the archive"});
  broken("117 within the tolerance", dated("2022-08-01 12:02:00Z"), {});
  broken("118", cleanMlf(5, MlfStyle::Graph, "a").set("model_name", R"("../a")"),
         {"118 metadata.json: model_name '../a' cannot name a file"});
  broken("118 empty", cleanMlf(5, MlfStyle::Graph, "a").set("model_name", R"("")"),
         {"118 metadata.json: model_name '' cannot name a file"});
  broken("119", op(5).set("model_name", R"("my-net")"),
         {"119 metadata.json: model_name 'my-net' cannot be part of C identifiers"});

  // --- targets ---
  broken("120 list in 5", graph(5).set("target", R"(["c -keys=cpu "])"),
         {"120 metadata.json: target is an array, but version 5 needs an object from device type to string"});
  broken("120 map in 6", graph(6).set("target", R"({"1": "c -keys=cpu "})"),
         {"120 metadata.json: target is an object, but version 6 needs a list of strings"});
  broken(
      "120 key", graph(5).renameKey("target/1", "cpu"),
      {"120 metadata.json: target is an object with the key 'cpu', but version 5 needs an object from device type to "
       "string"});
  broken("120 object in the list", op(7).set("target", R"([{"kind": "c"}])"),
         {"120 metadata.json: target is a list that holds an object, but version 7 needs a list of strings"});
  const auto target = [](const std::string& text) {
    return op(7)
        .set("target", R"([")" + text + R"("])")
        .replace("./codegen/host/src/lib0.c", "// tvm target: c -keys=cpu \n", "");
  };
  broken("121 no kind", target("-keys=cpu"), {"121 metadata.json: target '-keys=cpu': it does not begin with a kind"});
  broken("121 empty", target(""), {"121 metadata.json: target '': it does not begin with a kind"});
  broken("121 quote", target("c -libs='a b"), {"121 metadata.json: target 'c -libs='a b': a quote is not closed"});
  broken("121 value", target("c -keys="), {"121 metadata.json: target 'c -keys=': '-keys=' has no value"});
  broken("121 word", target("c cpu"), {"121 metadata.json: target 'c cpu': 'cpu' is not an attribute"});
  broken("121 quoted value", target(R"(c -libs='a b' -x=\\')"), {});
  broken("122", target("cpp -keys=cpu"), {"122 metadata.json: unknown target kind 'cpp'"});
  broken("123", target("cuda -keys=cuda"), {"123 metadata.json: operator archive with target kind 'cuda'"});
  broken("124", graph(5).renameKey("target/1", "2"), {"124 metadata.json: target kind 'c' under device type 2"});

  // --- dependencies ---
  broken("125", aot(7).drop("url"), {"125 metadata.json: external_dependencies[0]: lacks 'url'"});
  broken("125 type", aot(7).set("version_spec", "12"),
         {"125 metadata.json: external_dependencies[0]: version_spec is a number"});
  broken("126", aot(7).set("url", R"("./crt")"),
         {"126 metadata.json: dependency 'tvm_standalone_crt' points to './crt', which is not in the archive"});
  broken("127", aot(7).set("url_type", R"("url")"),
         {"127 metadata.json: dependency 'tvm_standalone_crt' has url_type 'url'"});
  broken("128", graph(7).add("./runtime/CMakeLists.txt"), {"128 runtime/ is not listed in external_dependencies"});
  broken("109 dependency", aot(7).insertBefore("url_type", R"("x": 1)"),
         {"109 metadata.json: unknown key 'x' in modules.default.external_dependencies[0]"});
}

/// A finding with a pointer has the line and the offset of its value; when a key is missing, those of the object.
void TestMetadataRules::findingsHaveLineAndOffset() {
  NullMonitor monitor;
  const auto placeIn = [&](const Mlf& mlf) {
    const auto report = mlf::checkArchive(bytes(mlf.tar()), monitor);
    if (!report || report->issues.size() != 1) return QStringLiteral("not one finding");
    const check::Place& place = report->issues.front().place;
    return QStringLiteral("%1 %2 line %3 offset %4")
        .arg(QString::fromStdString(place.member), QString::fromStdString(place.pointer))
        .arg(place.line.value_or(0))
        .arg(place.offset.value_or(0));
  };
  Mlf style = graph(5).set("style", R"("model")");
  const auto at = static_cast<qsizetype>(style.metadata().find(R"("model")"));
  QCOMPARE(placeIn(style), QStringLiteral("metadata.json /style line 7 offset %1").arg(at));
  QCOMPARE(placeIn(graph(4).drop("style")), QStringLiteral("metadata.json  line 0 offset 0"));
  QCOMPARE(placeIn(graph(7).drop("style")), QStringLiteral("metadata.json /modules/default line 2 offset 25"));
  Mlf twice = graph(5).insertBefore("style", R"("model_name": "default")");
  QCOMPARE(placeIn(twice), QStringLiteral("metadata.json /model_name line 7 offset %1")
                               .arg(static_cast<qsizetype>(twice.metadata().find(R"("default", "style")"))));
}

/// A time of zero does not count: packers write it so that the same tree gives the same bytes.
void TestMetadataRules::entriesWithoutTimeAndWithFractionsAreAccepted() {
  Mlf mlf = dated("2022-08-01 05:00:00Z");
  mlf.find("./metadata.json")->changed = 0;
  QCOMPARE(reported(mlf.tar()), QStringList());
  // Extended headers have fractions of seconds.
  Mlf fractions = dated("2022-08-01 05:00:00Z");
  for (std::size_t i = 0; i < fractions.members.size(); ++i) {
    if (fractions.members[i].path != "./metadata.json") continue;
    fractions.members[i].changed = 0;
    fractions.members.insert(fractions.members.begin() + static_cast<std::ptrdiff_t>(i),
                             MlfMember{"./PaxHeaders/metadata.json", "28 mtime=1659330000.1234567\n", 'x'});
    break;
  }
  QCOMPARE(reported(fractions.tar()), QStringList());
}

BLOBSCOPE_TEST(TestMetadataRules);

#include "test_metadata_rules.moc"
