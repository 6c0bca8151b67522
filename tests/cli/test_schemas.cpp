#include "tests/cli/cli.h"
#include "tests/cli/inputs.h"
#include "tests/core/process/made_tool.h"
#include "tests/runner/fixture.h"
#include "tests/runner/metadata_library.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/json_schema.h"
#include "tests/support/test_main.h"

#include "core/check/rule.h"

#include <QDir>
#include <QRegularExpression>

#include <algorithm>
#include <map>

namespace blobscope::test {
namespace {

const QString kSampleFolder = QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample");

/// Verbs that write a document.
constexpr const char* kVerbs[] = {"tree",    "show",    "extract", "export", "import", "repack",
                                  "strings", "symbols", "find",    "verify", "check",  "diff"};

QString text(const std::string& words) { return QString::fromStdString(words); }

bool isKnownId(const std::string& id) {
  const auto rows = diagnosticRows();
  return std::any_of(rows.begin(), rows.end(), [&](const DiagnosticRow& row) { return row.id == id; });
}

/// The patterns of ids in a schema.
void addIdPatterns(const json::Value& value, QStringList& patterns) {
  if (const auto* const list = std::get_if<json::Value::Array>(&value.data)) {
    for (const json::Value& item : *list) addIdPatterns(item, patterns);
  } else if (const auto* const object = std::get_if<json::Value::Object>(&value.data)) {
    for (const auto& [name, member] : *object) {
      const QString pattern = name == "pattern" && member.string() ? text(*member.string()) : QString();
      if (pattern.startsWith(QLatin1String("^[A-Z]")) || pattern.startsWith(QLatin1String("^REP-")))
        patterns << pattern;
      addIdPatterns(member, patterns);
    }
  }
}

/// Replaces each long run of hex digits by a short string for the pattern of the schema: std::regex needs stack for
/// each character.
void shortenHex(json::Value& value) {
  if (auto* const digits = std::get_if<std::string>(&value.data)) {
    if (digits->size() > 1000 && digits->size() % 2 == 0 &&
        digits->find_first_not_of("0123456789abcdef") == std::string::npos)
      *digits = "00";
  } else if (auto* const list = std::get_if<json::Value::Array>(&value.data)) {
    for (json::Value& item : *list) shortenHex(item);
  } else if (auto* const object = std::get_if<json::Value::Object>(&value.data)) {
    for (auto& [name, member] : *object) shortenHex(member);
  }
}

/// A compiled kernel with the parameters that the library passes: a pointer and a number of four bytes.
cuda::CubinKernel fitting(const char* name) {
  cuda::CubinKernel out = cuda::kernel(name);
  out.info = cuda::parameterRecord(0, 0, 8) + cuda::parameterRecord(1, 8, 4);
  return out;
}

/// Keys of modules whose functions are those of a virtual machine, not kernels.
bool isVm(const std::string& key) {
  return key == "relax.VMExecutable" || key == "relax.Executable" || key == "VMExecutable";
}

} // namespace

/// All documents that --json writes follow the schemas that the program itself prints.
class TestJsonSchemas : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    m_folder = inputFolder();
    QVERIFY2(m_folder, "the inputs cannot be written to the temporary folder");
    for (const char* verb : {"tree", "show", "extract", "export", "import", "repack", "strings", "symbols", "find",
                             "verify", "check", "preflight", "safety", "compile", "diff", "run", "devices", "error"}) {
      const Outcome outcome = runCli(m_folder->path(), {QStringLiteral("schema"), QLatin1String(verb)});
      QVERIFY2(outcome.exit == 0 && outcome.err.isEmpty(), outcome.text());
      auto schema = parseJson(outcome.out);
      QVERIFY2(schema, outcome.text());
      m_schemas[verb] = *schema;
    }
  }

  /// Each id of the table is allowed where a schema has ids; ids of repacking also where only these are allowed.
  void idsFitTheSchemas() {
    QStringList patterns;
    for (const auto& [verb, schema] : m_schemas) addIdPatterns(schema, patterns);
    QVERIFY(patterns.size() >= 5);
    for (const QString& pattern : patterns)
      for (const check::RuleRow& rule : check::rules())
        if (pattern.startsWith(QLatin1String("^[A-Z]")) || rule.id.starts_with("REP-"))
          QVERIFY2(QRegularExpression(pattern).match(text(std::string(rule.id))).hasMatch(),
                   qPrintable(pattern + QLatin1Char(' ') + text(std::string(rule.id))));
  }

  void printedSchemaEqualsTheSource_data() {
    QTest::addColumn<QString>("verb");
    for (const QString& name :
         QDir(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/schemas")).entryList({QStringLiteral("*.json")}))
      QTest::newRow(qPrintable(name)) << name.chopped(5);
  }
  void printedSchemaEqualsTheSource() {
    QFETCH(QString, verb);
    const Outcome outcome = runCli(m_folder->path(), {QStringLiteral("schema"), verb});
    QCOMPARE(outcome.ending(), QByteArray("exit 0"));
    QCOMPARE(outcome.out.toStdString(),
             readFile(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/schemas/%1.json").arg(verb)));
    QCOMPARE(stringAt(*parseJson(outcome.out), {"properties", "schema", "const"}),
             "blobscope." + verb.toStdString() + "/1");
  }

  void documentsOfLibrariesFollowTheirSchemas_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("damaged");
    for (const Library& one : libraries())
      if (isAsked(one)) QTest::newRow(qPrintable(one.file)) << one.folder << one.file << one.damaged;
  }

  /// Each verb except `show`, and whether `tree` and `verify` agree.
  void documentsOfLibrariesFollowTheirSchemas() {
    QFETCH(QString, folder);
    QFETCH(QString, file);
    QFETCH(bool, damaged);
    const QString out = m_folder->filePath(QStringLiteral("extracted.bin"));
    json::Value tree, verified, other;
    QVERIFY2(document("tree", folder, {file}, 0, tree), m_why);
    QVERIFY2(document("verify", folder, {file}, damaged ? 1 : 0, verified), m_why);
    QVERIFY2(document("check", folder, {file}, damaged ? 1 : 0, other), m_why);
    QVERIFY2(document("diff", folder, {file, file}, 0, other), m_why);
    QVERIFY2(document("diff", folder, {file, file, "--full"}, 0, other), m_why);
    QVERIFY2(document("symbols", folder, {file}, 0, other), m_why);
    QCOMPARE(static_cast<int64_t>(listAt(other, {"symbols"}).size()), numberAt(tree, {"host", "symbols"}));
    QVERIFY2(document("symbols", folder, {file, "--host"}, 0, other), m_why);
    QVERIFY2(document("strings", folder, {file}, 0, other), m_why);
    QVERIFY2(document("strings", folder, {file, "--min", "4", "--limit", "3"}, 0, other), m_why);
    QCOMPARE(listAt(other, {"strings"}).size(), std::size_t{3});
    QVERIFY2(document("find", folder, {file, "e"}, 0, other), m_why);
    QVERIFY2(document("find", folder, {file, "--hex", "00"}, 0, other), m_why);
    QVERIFY2(document("find", folder, {file, "E", "--ignore-case"}, 0, other), m_why);
    QVERIFY2(document("find", folder, {file, "--regex", "_[a-z]+"}, 0, other), m_why);
    QVERIFY2(document("extract", folder, {file, "@4+12", "-o", out}, 0, other), m_why);
    QCOMPARE(numberAt(other, {"size"}), 12);

    QCOMPARE(stringAt(tree, {"file", "path"}), file.toStdString());
    QCOMPARE(numberAt(tree, {"file", "size"}), static_cast<int64_t>(readFile(folder + QLatin1Char('/') + file).size()));
    const auto& blobs = listAt(tree, {"blobs"});
    const auto& results = listAt(verified, {"blobs"});
    QCOMPARE(blobs.size(), results.size());
    for (std::size_t i = 0; i < blobs.size(); ++i) {
      for (const char* key : {"ref", "carrier", "era"})
        QCOMPARE(stringAt(blobs[i], {key}), stringAt(results[i], {key}));
      QCOMPARE(numberAt(results[i], {"size"}), numberAt(blobs[i], {"size"}));
      QCOMPARE(numberAt(results[i], {"size"}), numberAt(results[i], {"owned"}) + numberAt(results[i], {"unknown"}));
      const auto& modules = listAt(blobs[i], {"modules"});
      std::vector<std::string> undecoded;
      for (std::size_t k = 0; k < modules.size(); ++k) {
        QCOMPARE(numberAt(modules[k], {"index"}), static_cast<int64_t>(k));
        for (const json::Value& child : listAt(modules[k], {"imports"}))
          QVERIFY(numberAt(child, {}) < static_cast<int64_t>(modules.size()));
        if (!std::get<bool>(at(modules[k], {"decoded"})->data)) undecoded.push_back(stringAt(modules[k], {"ref"}));
      }
      std::vector<std::string> listed;
      for (const json::Value& ref : listAt(results[i], {"undecoded"})) listed.push_back(*ref.string());
      QCOMPARE(listed, undecoded);
    }
  }

  void everyPageFollowsItsSchema_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("file");
    for (const Library& one : libraries())
      if (isAsked(one)) QTest::newRow(qPrintable(one.file)) << one.folder << one.file;
    QTest::newRow("archive") << m_folder->path() << QStringLiteral("model.tar");
  }
  /// `show` with every page of the file, of each blob and import tree, of each module and of its first function.
  void everyPageFollowsItsSchema() {
    QFETCH(QString, folder);
    QFETCH(QString, file);
    json::Value tree;
    QVERIFY2(document("tree", folder, {file}, 0, tree), m_why);
    QStringList refs = {QString()};
    for (const json::Value& blob : listAt(tree, {"blobs"})) {
      const QString ref = text(stringAt(blob, {"ref"}));
      refs << ref << QString(ref).replace(QStringLiteral("blob"), QStringLiteral("imports"));
      for (const json::Value& module : listAt(blob, {"modules"})) {
        refs << text(stringAt(module, {"ref"}));
        const std::string function = stringAt(module, {"functions", "0"});
        if (!function.empty())
          refs << text(stringAt(module, {"ref"}) + (isVm(stringAt(module, {"key"})) ? "/function:" : "/kernel:") +
                       function);
      }
    }
    for (const QString& ref : refs) {
      json::Value first;
      QVERIFY2(document("show", folder, {file, ref}, 0, first), m_why);
      QCOMPARE(stringAt(first, {"ref"}), ref.toStdString());
      const auto& pages = listAt(first, {"pages"});
      QVERIFY(!pages.empty());
      // All at once, because the starts take most of the time.
      std::vector<Run> runs;
      for (const json::Value& page : pages)
        runs.push_back(start("show", folder, {file, ref, "--page", text(stringAt(page, {"name"}))}));
      for (std::size_t i = 0; i < pages.size(); ++i) {
        json::Value page;
        QVERIFY2(follows(runs[i], finish(*runs[i].process), 0, page), m_why);
        for (std::size_t k = 0; k < pages.size(); ++k) {
          const auto& shown = listAt(page, {"pages"})[k];
          QCOMPARE(stringAt(shown, {"name"}), stringAt(pages[k], {"name"}));
          QVERIFY2((shown.object()->size() > 2) == (k == i), "only the printed page has more than name and kind");
        }
      }
    }
  }

  /// Needs the runner beside the command line, where the build places it.
  void runDocumentsFollowTheirSchemas() {
    json::Value document;
    QVERIFY2(this->document("devices", m_folder->path(), {}, 0, document), m_why);
    QVERIFY(listAt(document, {"devices"}).size() + listAt(document, {"missing"}).size() >= 3);
    QCOMPARE(listAt(document, {"confinement"}).size(), 7);
    QVERIFY(!at(document, {"checks"}));
    // The devices of this machine, whatever they are, compute what the processor does.
    QVERIFY2(this->document("devices", m_folder->path(), {"--check"}, 0, document), m_why);
    QCOMPARE(listAt(document, {"checks"}).size(), listAt(document, {"devices"}).size() * 4);
#if defined(__linux__) && defined(__x86_64__)
    QVERIFY2(this->document("run", kSampleFolder, {"sample-cuda-a.so", "--all", "--dry", "--yes"}, 0, document), m_why);
    QCOMPARE(listAt(document, {"functions"}).size(), std::size_t{4});
    QCOMPARE(stringAt(document, {"functions", "0", "launches", "0", "kernel"}), std::string("softmax_kernel"));
    QVERIFY2(this->document("run", kSampleFolder, {"sample-cpu.so", "--all", "--yes", "--compare", "sample-cpu.so"}, 0,
                            document),
             m_why);
    for (const json::Value& function : listAt(document, {"functions"}))
      QCOMPARE(stringAt(function, {"comparison", "outputs", "0", "verdict"}), std::string("identical"));
    QVERIFY2(this->document("run", kSampleFolder, {"sample-cpu.so", "add", "--yes", "--input", "B=lawn"}, 1, document),
             m_why);
    QCOMPARE(stringAt(document, {"functions", "0", "code"}), std::string("RUN-INPUT"));
#endif
  }

  void preflightFollowsItsSchema() {
    json::Value document;
    QVERIFY2(this->document("preflight", m_folder->path(),
                            {"b1.so", "host-only.so", "--runtime", "v0.20+cuda", "--device", "sm_90,driver=580"}, 0,
                            document),
             m_why);
    QCOMPARE(listAt(document, {"files"}).size(), std::size_t{2});
    QCOMPARE(stringAt(document, {"files", "0", "targets", "0", "runtime"}), std::string("v0.20.0"));
    QVERIFY2(this->document("preflight", m_folder->path(), {".", "--all-releases"}, 1, document), m_why);
    QVERIFY(listAt(document, {"files"}).size() > 10);
  }

  /// Every input that opens, whatever is found in it.
  void safetyFollowsItsSchema() {
    json::Value document;
    for (const Input& one : inputs()) {
      if (one.state == Input::State::Unreadable) continue;
      const Outcome outcome = runCli(m_folder->path(), {QStringLiteral("safety"), one.name, QStringLiteral("--json")});
      QVERIFY2(outcome.exit == 0 || outcome.exit == 1, outcome.text());
      QVERIFY2(this->document("safety", m_folder->path(), {one.name}, outcome.exit, document), m_why);
      QCOMPARE(stringAt(document, {"digests", "file"}).size(), std::size_t{64});
    }
  }

  /// With a script in place of ptxas: one that refuses, and one that returns an image which does not fit.
  void compileFollowsItsSchema() {
    const QString folder = m_folder->path() + QStringLiteral("/compilers");
    QVERIFY(QDir().mkpath(folder));
    const std::filesystem::path image = (folder + QStringLiteral("/made.cubin")).toStdString();
    writeFile(m_folder->filePath(QStringLiteral("kernel.ptx")).toStdString(), ".version 8.0\n.target sm_80\n");
    writeFile(image, cuda::CubinFile{.kernels = {cuda::kernel("other")}}.build());
    qputenv("BLOBSCOPE_CUDA_TOOLS", folder.toUtf8());
    json::Value document;
    const auto compile = [&](const std::string& script, int exit) {
      writeScript(std::filesystem::path((folder + QStringLiteral("/ptxas")).toStdString()), script);
      return this->document("compile", m_folder->path(),
                            {"b1.so", "m1", "--source", "kernel.ptx", "--into", "compiled.so"}, exit, document);
    };
    QVERIFY2(compile("[ \"$1\" = --version ] && exit\necho 'ptxas k.ptx, line 2; error : no' >&2\nexit 255", 1), m_why);
    QCOMPARE(stringAt(document, {"diagnostics", "0", "message"}), std::string("no"));
    QCOMPARE(numberAt(document, {"diagnostics", "0", "line"}), int64_t{2});
    QVERIFY2(
        compile("[ \"$1\" = --version ] && exit\nexec cat '" + folder.toStdString() + "/made.cubin' > image.out", 1),
        m_why);
    QCOMPARE(stringAt(document, {"code", "format"}), std::string("cubin"));
    QCOMPARE(listAt(document, {"misfits"}).size(), std::size_t{2});
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("compiled.so"))));
    writeFile(image, cuda::CubinFile{.kernels = {fitting("add_kernel"), fitting("mul_kernel")}}.build());
    QVERIFY2(
        compile("[ \"$1\" = --version ] && exit\nexec cat '" + folder.toStdString() + "/made.cubin' > image.out", 0),
        m_why);
    QCOMPARE(stringAt(document, {"output"}), std::string("compiled.so"));
    const Outcome verified = runCli(m_folder->path(), {"verify", "compiled.so"});
    QVERIFY2(verified.exit == 0, verified.text());
    qunsetenv("BLOBSCOPE_CUDA_TOOLS");
  }

  /// The metadata that getters returned, and the reasons why others returned nothing.
  void metadataFollowsItsSchema() {
    if (!canCompile()) QSKIP("no C compiler: cc");
    const QString said = compileLibrary(m_folder->filePath(QStringLiteral("getters.so")).toStdString(), kMetadata);
    QVERIFY2(said.isEmpty(), qPrintable(said));
    json::Value document;
    QVERIFY2(
        this->document("run", m_folder->path(), {"getters.so", "add", "fails", "--metadata", "--yes"}, 1, document),
        m_why);
    QCOMPARE(listAt(document, {"functions"}).size(), std::size_t{2}); // in the order of the library's symbols
    const std::string add = stringAt(document, {"functions", "0", "name"}) == "add" ? "0" : "1",
                      fails = add == "0" ? "1" : "0";
    QCOMPARE(stringAt(document, {"functions", add, "signature"}), std::string("(float) -> int"));
    QCOMPARE(stringAt(document, {"functions", add, "doc"}), std::string("Sum"));
    QCOMPARE(stringAt(document, {"functions", fails, "name"}), std::string("fails"));
    QCOMPARE(stringAt(document, {"functions", fails, "code"}), std::string("RUN-REJECTED"));
    const Outcome text = runCli(m_folder->path(), {"run", "getters.so", "add", "--metadata", "--yes"});
    QCOMPARE(text.exit, 0);
    QCOMPARE(text.out, QByteArray("add(float) -> int\n    Sum\n"));
  }

  /// The report of a written file, and of a plan only.
  void repackDocumentsFollowTheirSchema_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("edits");
    const auto row = [](const char* file, const QStringList& edits) {
      QTest::addRow("%s %s", file, qPrintable(edits.join(QLatin1Char(' ')))) << QString::fromLatin1(file) << edits;
    };
    for (const char* const file : {"b1.so", "c1.so", "mips32.so", "host-only.so"}) row(file, {});
    row("b1.so", {"--rename", "m1/kernel:add_kernel=a"});
    row("b1.so", {"--rename", "m1/kernel:add_kernel=a_longer_name", "--scrub"});
    row("c1.so", {"--remove", "m1"});
    row("era-a.so", {"--remove", "m0/kernel:mul_kernel"});
    row("two-blobs.so", {"--rename", "left_:m1/kernel:add_kernel=a", "--rename", "right_:m1=Other"});
    row("opencl-vulkan.so", {"--replace", "m2/kernel:add_kernel=words.spv", "--verify", "sampled"});
    row("odd-names.so", {"--rename", "m1/kernel:na%FFme=plain"});
    row("shared-child.so", {"--remove", "m1", "--remove", "m2", "--force"});
    row("fatbin.so", {"--images", "file=keep:sm_90", "--images", "m1=add:new.ptx"});
    row("model.tar", {});
    row("model.tar", {"--add", "src/new.ptx=new.ptx", "--set", "metadata.json/modules/tinynet/style=\"operator\""});
  }
  void repackDocumentsFollowTheirSchema() {
    QFETCH(QString, file);
    QFETCH(QStringList, edits);
    const QString out = m_folder->filePath(QStringLiteral("repacked.so"));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("words.spv")),
                      std::string("\x03\x02\x23\x07", 4) + std::string(16, '\0')));
    QVERIFY(writeFile(m_folder->filePath(QStringLiteral("new.ptx")), ".version 8.0\n.target sm_80\n"));
    json::Value planned, written, tree, verified;
    QVERIFY2(document("repack", m_folder->path(), QStringList{file, "--dry-run"} + edits, 0, planned), m_why);
    QVERIFY(!QFile::exists(out));
    QVERIFY2(document("repack", m_folder->path(), QStringList{file, "-o", out} + edits, 0, written), m_why);
    const std::string before = readFile(m_folder->filePath(file)), after = readFile(out);
    QVERIFY(QFile::remove(out));
    QCOMPARE(at(written, {"findings"})->isNull(), file != QStringLiteral("model.tar"));
    for (const json::Value* one : {&planned, &written}) {
      QCOMPARE(numberAt(*one, {"before", "size"}), static_cast<int64_t>(before.size()));
      QCOMPARE(numberAt(*one, {"after", "size"}), static_cast<int64_t>(after.size()));
      QCOMPARE(stringAt(*one, {"strategy"}) == "identity", edits.isEmpty());
    }
    QVERIFY(at(planned, {"output"})->isNull());
    QCOMPARE(text(stringAt(written, {"output"})), out);
    QVERIFY(!std::get<bool>(at(planned, {"verified"})->data) && std::get<bool>(at(written, {"verified"})->data));
    QCOMPARE(after == before, edits.isEmpty());
    QCOMPARE(stringAt(written, {"before", "sha256"}) == stringAt(written, {"after", "sha256"}), edits.isEmpty());
    QCOMPARE(stringAt(planned, {"after", "sha256"}).empty(), !edits.isEmpty());
    // The changes are listed in order, and nothing else changed in the common part of both files.
    int64_t end = 0;
    for (const json::Value& change : listAt(written, {"changed"})) {
      QVERIFY(numberAt(change, {"offset"}) >= end);
      end = numberAt(change, {"offset"}) + numberAt(change, {"size"});
      QVERIFY(end <= static_cast<int64_t>(after.size()));
    }
  }

  void exportAndImportFollowTheirSchemas_data() {
    QTest::addColumn<QString>("file");
    for (const char* const file :
         {"b1.so", "c1.so", "era-a.so", "two-blobs.so", "odd-names.so", "vendor.so", "shared-child.so", "damaged.so"})
      QTest::newRow(file) << QString::fromLatin1(file);
  }
  void exportAndImportFollowTheirSchemas() {
    QFETCH(QString, file);
    const QTemporaryDir place;
    const QString folder = place.filePath(QStringLiteral("folder")), out = place.filePath(QStringLiteral("out.so"));
    const Outcome exported = runCli(m_folder->path(), {"export", file, folder});
    QVERIFY2(exported.exit == 0, exported.text());
    json::Value planned, written, into;
    QVERIFY2(document("import", m_folder->path(), {folder, "--dry-run"}, 0, planned), m_why);
    QVERIFY2(document("import", m_folder->path(), {folder, "-o", out}, 0, written), m_why);
    QCOMPARE(stringAt(written, {"strategy"}), std::string("identity"));
    QVERIFY(readFile(out) == input(file).bytes);
    QVERIFY2(document("import", m_folder->path(), {folder, "--into", file, "-o", out}, 0, into), m_why);
    QVERIFY(readFile(out) == input(file).bytes);
    // Another file with the name of the library is refused.
    const QString library = m_folder->filePath(file);
    QVERIFY(writeFile(library, input(QStringLiteral("b2.so")).bytes));
    json::Value error;
    const bool refused = document("import", m_folder->path(), {folder, "-o", out}, 2, error);
    QVERIFY(writeFile(library, input(file).bytes));
    QVERIFY2(refused, m_why);
    QCOMPARE(stringAt(error, {"code"}), std::string("REP-FILE"));
  }

  void refusalsFollowTheErrorSchema_data() {
    QTest::addColumn<QString>("verb");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("code");
    const auto row = [](const QString& verb, const QStringList& arguments, const char* code) {
      QTest::addRow("%s %s", qPrintable(verb), qPrintable(arguments.join(QLatin1Char(' '))))
          << verb << arguments << QString::fromLatin1(code);
    };
    for (const char* verb : kVerbs) {
      QStringList more;
      if (qstrcmp(verb, "extract") == 0) more = {"m1", "-o", "never.bin"};
      if (qstrcmp(verb, "export") == 0) more = {"never-parts"};
      if (qstrcmp(verb, "find") == 0) more = {"x"};
      if (qstrcmp(verb, "diff") == 0) more = {"b1.so"};
      if (qstrcmp(verb, "repack") == 0 || qstrcmp(verb, "import") == 0) more = {"--dry-run"};
      row(verb, QStringList{}, "USAGE");
      row(verb, QStringList{"b1.so"} + more + QStringList{"--frobnicate"}, "USAGE");
      row(verb, QStringList{"b1.so"} + more + QStringList{"one", "too", "many"}, "USAGE");
      if (cliIsSanitized() && qstrcmp(verb, "tree") != 0 && qstrcmp(verb, "repack") != 0) continue; // they open alike
      if (qstrcmp(verb, "import") == 0) continue;                                                   // it takes a folder
      row(verb, QStringList{"missing.so"} + more, "FILE-NOT-FOUND");
      row(verb, QStringList{"folder"} + more, "FILE-NOT-REGULAR");
      row(verb, QStringList{"empty.so"} + more, "FILE-EMPTY");
      row(verb, QStringList{"not-a-library.txt"} + more, "FILE-KIND");
      row(verb, QStringList{"Some.class"} + more, "FILE-KIND");
      row(verb, QStringList{"cut-early.so"} + more, "FILE-HEADER");
    }
    row("show", {"b1.so", "m1//"}, "REF-SYNTAX");
    row("show", {"b1.so", "nonsense"}, "REF-SYNTAX");
    row("show", {"b1.so", "m7"}, "REF-NOT-FOUND");
    row("show", {"b1.so", "host:nothing"}, "REF-NOT-FOUND");
    row("show", {"b1.so", "m1", "--page", "Nonsense"}, "PAGE-NOT-FOUND");
    row("extract", {"b1.so", "m0", "-o", "never.bin"}, "REF-NO-BYTES");
    row("extract", {"b1.so", "m1//", "-o", "never.bin"}, "REF-SYNTAX");
    row("extract", {"b1.so", "m1", "-o", "b1.so"}, "FILE-SAME");
    row("extract", {"b1.so", "m1", "-o", "folder"}, "FILE-WRITE");
    row("extract", {"b1.so", "m1", "-o", "-"}, "USAGE");
    row("extract", {"b1.so", "m1"}, "USAGE");
    row("extract", {"b1.so", "m1", "-o", "never.npy", "--npy"}, "EXPORT-NO-TENSOR");
    row("export", {"b1.so", "."}, "FILE-WRITE"); // not empty
    row("export", {"b1.so", "b1.so"}, "FILE-WRITE");
    const QString never = QStringLiteral("never.bin");
    row("repack", {"b1.so"}, "USAGE"); // neither output nor dry run
    row("repack", {"b1.so", "-o", "folder"}, "FILE-WRITE");
    row("repack", {"b1.so", "-o", never, "--verify", "never"}, "USAGE");
    row("repack", {"b1.so", "-o", never, "--signature", "mine"}, "USAGE");
    row("repack", {"b1.so", "-o", never, "--replace", "m1"}, "USAGE");
    row("repack", {"b1.so", "-o", never, "--replace", "m1//=c1.so"}, "REF-SYNTAX");
    row("repack", {"b1.so", "-o", never, "--replace", "m1=missing.bin"}, "FILE-NOT-FOUND");
    row("repack", {"b1.so", "-o", never, "--replace", "m1=c1.so"}, "REP-UNDECODED");
    row("repack", {"b1.so", "-o", never, "--replace", "m1/kernel:add_kernel=c1.so"}, "REP-TARGET");
    row("repack", {"b1.so", "-o", never, "--replace", "symbol:behind=c1.so"}, "REP-TARGET");
    row("repack", {"b1.so", "-o", never, "--replace", "blob=c1.so"}, "REP-LEN");
    row("repack", {"b1.so", "-o", never, "--remove", "m0"}, "REP-ROOT");
    row("repack", {"b1.so", "-o", never, "--remove", "m9"}, "REF-NOT-FOUND");
    row("repack", {"b1.so", "-o", never, "--rename", "m1=_lib"}, "REP-TARGET");
    row("repack", {"shared-child.so", "-o", never, "--remove", "m1", "--remove", "m2"}, "REP-ORPHAN");
    row("repack", {"bad-length.so", "-o", never, "--rename", "m1=opencl"}, "REP-DAMAGED");
    row("repack", {"host-only.so", "-o", never, "--rename", "m1=opencl"}, "REF-NOT-FOUND");
    row("repack", {"b1.so", "-o", never, "--edits", "missing.json"}, "FILE-NOT-FOUND");
    row("repack", {"b1.so", "-o", never, "--edits", "not-a-library.txt"}, "JSON-TEXT");
    row("import", {"missing", "-o", never}, "FILE-NOT-FOUND");
    row("import", {"folder", "-o", never}, "FILE-NOT-FOUND"); // without a manifest
    row("find", {"b1.so", "xyz", "--hex"}, "PATTERN");
    row("find", {"b1.so", "(", "--regex"}, "PATTERN");
    row("find", {"b1.so", "00", "--hex", "--regex"}, "USAGE");
    row("find", {"b1.so", "x", "--limit", "-1"}, "USAGE");
    row("find", {"b1.so", "x", "--in", "m0"}, "REF-NO-BYTES");
    row("find", {"b1.so", "x", "--in", "m99"}, "REF-NOT-FOUND");
    row("find", {"b1.so", "00", "--hex", "--ignore-case"}, "USAGE");
    row("strings", {"b1.so", "--min", "0"}, "USAGE");
    row("frobnicate", {"b1.so"}, "USAGE");
  }
  void refusalsFollowTheErrorSchema() {
    QFETCH(QString, verb);
    QFETCH(QStringList, arguments);
    QFETCH(QString, code);
    json::Value error;
    QVERIFY2(document(verb.toStdString(), m_folder->path(), arguments, 2, error), m_why);
    QCOMPARE(text(stringAt(error, {"code"})), code);
    QVERIFY2(isKnownId(stringAt(error, {"code"})), "the code is not in the table of diagnostics");
    QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("never.bin"))));
  }

  /// Byte strings that are not UTF-8 are written as {"hex": "…"}.
  void namesThatAreNotUtf8AreWrittenInHex() {
    json::Value tree, symbols, found;
    QVERIFY2(document("tree", m_folder->path(), {"odd-names.so"}, 0, tree), m_why);
    QCOMPARE(stringAt(tree, {"blobs", "0", "modules", "1", "functions", "0", "hex"}), std::string("6e61ff6d65"));
    QCOMPARE(stringAt(tree, {"blobs", "0", "modules", "1", "functions", "1"}), std::string("two\nlines"));
    QCOMPARE(stringAt(tree, {"blobs", "0", "modules", "1", "functions", "2"}), std::string("grün"));
    QCOMPARE(stringAt(tree, {"host", "functions", "2", "hex"}), std::string("feff"));

    QVERIFY2(document("symbols", m_folder->path(), {"odd-names.so"}, 0, symbols), m_why);
    bool seen = false;
    for (const json::Value& symbol : listAt(symbols, {"symbols"})) {
      if (stringAt(symbol, {"name", "hex"}) != "5f5f74766d5f6666695ffeff") continue;
      seen = true;
      // The ref is text and names it.
      const QString ref = text(stringAt(symbol, {"ref"}));
      QCOMPARE(ref, QStringLiteral("symbol:__tvm_ffi_%FE%FF"));
      json::Value page;
      QVERIFY2(document("show", m_folder->path(), {"odd-names.so", ref}, 0, page), m_why);
    }
    QVERIFY(seen);

    QVERIFY2(document("find", m_folder->path(), {"odd-names.so", "--hex", "fe ff", "--limit", "1"}, 0, found), m_why);
    QCOMPARE(stringAt(found, {"hits", "0", "text", "hex"}), std::string("feff"));

    // Qt cannot spell the name, so the shell creates and removes the file.
    const Outcome outcome =
        runShell(m_folder->path(),
                 "n=$(printf 'b1\\377.so'); cp b1.so \"$n\"; \"$0\" tree \"$n\" --json; e=$?; rm \"$n\"; exit $e");
    QVERIFY2(outcome.exit == 0, outcome.text());
    const auto value = parseJson(outcome.out);
    QVERIFY2(value, outcome.text());
    QCOMPARE(stringAt(*value, {"file", "path", "hex"}), std::string("6231ff2e736f"));
    QVERIFY2(whyInvalid(*value, m_schemas["tree"]).empty(), whyInvalid(*value, m_schemas["tree"]).c_str());
  }

  /// --json is accepted before or after the other arguments.
  void jsonOptionMayComeBeforeOrAfterTheFile() {
    const Outcome behind = runCli(m_folder->path(), {"tree", "b1.so", "--json"});
    const Outcome before = runCli(m_folder->path(), {"tree", "--json", "b1.so"});
    QCOMPARE(before.ending(), QByteArray("exit 0"));
    QCOMPARE(before.out, behind.out);
  }

private:
  struct Library {
    QString folder, file;
    bool damaged;
  };
  /// With sanitizers a start takes several times as long, so one input of each structure is enough.
  static bool isAsked(const Library& one) {
    static const QStringList kAlike = {"era-a.so",          "b2.so",           "next.so",      "vendor.so",
                                       "vendor-classic.so", "many.so",         "mips32.so",    "object.o",
                                       "no-sections.so",    "bad-length.so",   "bad-child.so", "damaged-classic.so",
                                       "sample-cuda-b.so",  "sample-opencl.so"};
    return !cliIsSanitized() || !kAlike.contains(one.file);
  }

  /// The inputs that open, and the bundled samples.
  std::vector<Library> libraries() const {
    std::vector<Library> all;
    for (const Input& one : inputs())
      if (one.state != Input::State::Unreadable)
        all.push_back({m_folder->path(), one.name, one.state == Input::State::Damaged});
    for (const QString& name : QDir(kSampleFolder).entryList({QStringLiteral("*.so")}, QDir::Files, QDir::Name))
      all.push_back({kSampleFolder, name, name.contains(QStringLiteral("damaged"))});
    return all;
  }

  struct Run {
    std::string verb;
    QByteArray command;
    std::unique_ptr<QProcess> process;
  };

  /// Starts the verb with --json.
  static Run start(const std::string& verb, const QString& folder, QStringList arguments) {
    arguments.removeAll(QString());
    arguments << QStringLiteral("--json");
    Run run{verb, text(verb).toUtf8() + ' ' + arguments.join(QLatin1Char(' ')).toUtf8(), std::make_unique<QProcess>()};
    prepare(*run.process, folder, QStringList{text(verb)} + arguments);
    run.process->start();
    return run;
  }

  /// Checks what holds for any document. With exit code 2 the schema is `error`. On false, m_why says why.
  bool follows(const Run& run, const Outcome& outcome, int exit, json::Value& value) {
    const auto refuse = [&](const QByteArray& why) {
      m_why = run.command + ": " + why;
      return false;
    };
    if (outcome.ending() != "exit " + QByteArray::number(exit))
      return refuse("not exit " + QByteArray::number(exit) + ": " + outcome.text());
    if (exit == 2 ? outcome.err.isEmpty() : !outcome.err.isEmpty()) return refuse("standard error: " + outcome.text());
    if (!whyNotMessages(outcome.err).isEmpty()) return refuse(whyNotMessages(outcome.err));

    const std::string schema = exit == 2 ? "error" : run.verb;
    const QByteArray begin = "{\n  \"schema\": \"blobscope." + QByteArray::fromStdString(schema) + "/1\",\n";
    if (!outcome.out.startsWith(begin)) return refuse("does not begin with its schema: " + outcome.out.left(200));
    if (!outcome.out.endsWith("}\n")) return refuse("does not end with one newline");
    auto parsed = parseJson(outcome.out);
    if (!parsed) return refuse("is not JSON: " + outcome.out.left(2000));
    shortenHex(*parsed);
    const std::string why = whyInvalid(*parsed, m_schemas[schema]);
    if (!why.empty()) return refuse("does not follow the schema: " + QByteArray::fromStdString(why));
    // The message on standard error equals that of the document.
    if (exit == 2 && !outcome.err.contains(QByteArray::fromStdString(stringAt(*parsed, {"message"}))))
      return refuse("standard error says something else: " + outcome.text());
    value = std::move(*parsed);
    return true;
  }

  /// Runs the verb twice at the same time; the second run has to write the same bytes.
  bool document(const std::string& verb, const QString& folder, const QStringList& arguments, int exit,
                json::Value& value) {
    const Run one = start(verb, folder, arguments), two = start(verb, folder, arguments);
    const Outcome outcome = finish(*one.process), again = finish(*two.process);
    if (outcome.out == again.out) return follows(one, outcome, exit, value);
    m_why = one.command + ": a second run wrote other bytes";
    return false;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::map<std::string, json::Value> m_schemas;
  QByteArray m_why;
};

BLOBSCOPE_TEST(TestJsonSchemas);

} // namespace blobscope::test

#include "test_schemas.moc"
