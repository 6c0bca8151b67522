#include "core/modules/field_values.h"

#include "core/library/open.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFileInfo>

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string set(const std::string& path, const std::string& value) {
  return "{'op': 'set', 'ref': 'm1/field:" + path + "', 'value': " + value + "}";
}

} // namespace

/// Values that no release of TVM reads.
class TestFieldValues : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void unknownEnumeratorsAreRefused_data();
  void unknownEnumeratorsAreRefused();
  void unknownValueInTheFileMayStay();
  void valuesOfANewKernelAreChecked();
  void valuesInTheCorpusAreAccepted();
};

void TestFieldValues::unknownEnumeratorsAreRefused_data() {
  QTest::addColumn<std::string>("key");
  QTest::addColumn<std::string>("edit");
  QTest::addColumn<bool>("refused");
  const auto row = [](const char* name, const char* key, const std::string& edit, bool refused) {
    QTest::newRow(name) << std::string(key) << edit << refused;
  };
  const std::string tags = "fmap[0].info.launch_param_tags";
  row("an axis", "cuda", set(tags + "[1]", "'threadIdx.z'"), false);
  row("no axis", "cuda", set(tags + "[1]", "'threadIdx.w'"), true);
  row("a flag of v0.23", "cuda", set(tags + "[1]", "'tir.use_programtic_dependent_launch'"), false);
  row("its name as it ought to be", "cuda", set(tags + "[1]", "'tir.use_programmatic_dependent_launch'"), true);
  row("accesses of WebGPU", "cuda", set(tags + "[1]", "'paramWriteAccess:[1,0]'"), false);
  row("a list", "cuda", set(tags, "['blockIdx.x', 'blockIdx.y']"), false);
  row("a list with one that is wrong", "cuda", set(tags, "['blockIdx.x', 'gridIdx.x']"), true);
  row("an empty list", "cuda", set(tags, "[]"), false);
  row("tensor maps", "cuda", set("fmap[0].info.arg_extra_tags", "[1, 0]"), false);
  row("an unknown extra tag", "cuda", set("fmap[0].info.arg_extra_tags", "[1, 2]"), true);
  row("a negative extra tag", "cuda", set("fmap[0].info.arg_extra_tags", "[-1, 0]"), true);
  row("a type", "cuda", set("fmap[0].info.arg_types", "['float16', 'handle']"), false);
  row("a type by its number", "cuda", set("fmap[0].info.arg_types[0]", "'0x0001083f'"), true);
  row("a registered type", "cuda", set("fmap[0].info.arg_types[0]", "'0x00010881'"), false);
  row("cuda reads every format", "cuda", set("fmt", "'mine'"), false);
  row("opencl does not", "opencl", set("fmt", "'mine'"), true);
  row("another of opencl", "opencl", set("fmt", "'clbin'"), false);
  row("any name is accepted", "cuda", set("fmap[0].info.name", "'mine'"), false);
}

void TestFieldValues::unknownEnumeratorsAreRefused() {
  QFETCH(std::string, key);
  QFETCH(std::string, edit);
  QFETCH(bool, refused);
  const auto package =
      opened(oneModule(key, code3(key == "cuda" ? "ptx" : "cl", kAddMul, ptxText(kAddMul), Info::Four)));
  const auto edited = applyTo(package, edit);
  QVERIFY2(bool(edited) != refused, edited ? "" : edited.error().message().c_str());
  if (!refused) return;
  QCOMPARE(QString::fromStdString(std::string(row(edited.error().id()).id)), QStringLiteral("REP-ENUM"));
  const auto forced = applyTo(package, edit, true);
  QVERIFY2(forced, forced ? "" : forced.error().message().c_str());
  QCOMPARE(forced->applied.warnings.size(), std::size_t{1});
  QVERIFY(forced->applied.warnings[0].id == DiagnosticId::PlanForced);
}

void TestFieldValues::unknownValueInTheFileMayStay() {
  std::vector<Function> kernels = kAddMul;
  kernels[0].tags = {"blockIdx.x", "of.the.future"};
  const auto package = opened(oneModule("cuda", code3("ptx", kernels, ptxText(kernels), Info::Four)));
  QVERIFY(applyTo(package, set("fmap[0].info.launch_param_tags", "['of.the.future', 'threadIdx.x']")));
  QVERIFY(applyTo(package, set("fmap[0].info.launch_param_tags[1]", "'of.the.future'")));
  QVERIFY(!applyTo(package, set("fmap[0].info.launch_param_tags[0]", "'of.the.future'")));
  QVERIFY(!applyTo(package, set("fmap[1].info.launch_param_tags", "['of.the.future']")));
}

void TestFieldValues::valuesOfANewKernelAreChecked() {
  const auto package = opened(oneModule("cuda", code3("ptx", kAddMul, ptxText(kAddMul), Info::Four)));
  const auto add = [](const std::string& tag) {
    return "{'op': 'add', 'ref': 'm1/kernel:neu', 'info': {'arg_types': ['handle'], 'launch_param_tags': ['" + tag +
           "']}}";
  };
  QVERIFY(applyTo(package, add("blockIdx.x")));
  const auto wrong = applyTo(package, add("blockIdx"));
  QVERIFY(!wrong && wrong.error().id() == DiagnosticId::EditEnum);
  QVERIFY(applyTo(package, add("blockIdx"), true));
}

void TestFieldValues::valuesInTheCorpusAreAccepted() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  const QDir folder((set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
                    QStringLiteral("/libraries"));
  if (!folder.exists()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder.path()));
  int values = 0;
  const auto check = [&](const library::Module& module, const QString& file) {
    const FieldTree tree = modules::describeBody(*module.body, module.payload);
    std::vector<std::string_view> names(256);
    for (const Field& field : tree.rows) {
      const std::string_view name =
          field.index == Field::kNoIndex || field.depth == 0 ? field.name : names[field.depth - 1u];
      if (field.depth < names.size()) names[field.depth] = name;
      const auto* const known = modules::findFieldValues(module.key.view(), name);
      if (!known || field.type == FieldType::List) continue;
      ++values;
      const auto row = static_cast<uint32_t>(&field - tree.rows.data());
      const bool has = field.type == FieldType::String ? known->has(tree.content(row).view())
                                                       : known->has(static_cast<int64_t>(field.number));
      QVERIFY2(has,
               qPrintable(file + QLatin1Char(' ') + QString::fromStdString(tree.path(row) + " " + tree.value(row))));
    }
  };
  for (const QFileInfo& info : folder.entryInfoList(QDir::Files)) {
    NullMonitor monitor;
    const auto package = library::open(info.filePath().toStdString(), monitor);
    if (!package) continue;
    library::forEachPackage(*package, [&](const library::PackagePtr& inner) {
      for (const auto& blob : inner->blobs)
        for (const auto& module : blob->modules)
          if (module->payload.size() < (4u << 20)) check(*module, info.fileName());
    });
  }
  QVERIFY(values > 1'000);
}

BLOBSCOPE_TEST(TestFieldValues);
#include "test_field_values.moc"
