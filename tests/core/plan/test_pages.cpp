#include "core/plan/pages.h"

#include "core/describe/node.h"
#include "core/library/open.h"
#include "core/plan/metadata.h"
#include "core/program/model.h"
#include "core/view/plan_page.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <QDir>

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;

class TestPlanPages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void moduleAndFunctionsHaveThePages() {
    RelaxBuilder vm(kTags2025b);
    const auto package = openBytes(
        elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", vm.build()}, {"_lib", ""}}, {{1}, {}})));
    QVERIFY(package);
    const auto names = [&](const char* ref) {
      QByteArray out;
      const auto pages = describe::pagesOf(*package, *Ref::parse(ref), m_monitor);
      for (std::size_t i = 0; pages && i < pages->size(); ++i)
        out += QByteArray::fromStdString((*pages)[i].name) + "=" +
               QByteArray::fromStdString(std::string(view::pageKind((*pages)[i]))) + " ";
      return out;
    };
    QVERIFY2(names("m0").contains("Functions=table Memory plan=plan Calls=calls Constants=table"), names("m0"));
    QVERIFY2(names("m0/function:main").contains("Calls=table Memory plan=plan Fields"), names("m0/function:main"));
    QVERIFY2(!names("m1").contains("plan"), names("m1"));
  }

  /// Every function of every language model of the corpus: the storages of the plan have together what the compiler
  /// stated, to the byte.
  void agreesWithTheCompiler() {
    const QByteArray corpus = qgetenv("BLOBSCOPE_CORPUS");
    if (corpus.isEmpty()) QSKIP("corpus absent");
    int compared = 0;
    const QDir folder(QString::fromLocal8Bit(corpus) + "/libraries");
    for (const QString& file : folder.entryList(QDir::Files)) {
      const auto package = library::open(folder.filePath(file).toStdString(), m_monitor);
      if (!package) continue;
      const auto pages = describe::pagesOf(*package, *Ref::parse("m0"), m_monitor);
      if (!pages) continue;
      const auto page = std::ranges::find(*pages, "Memory plan", &view::Page::name);
      if (page == pages->end()) continue;
      const auto made = view::resolvePage(*page, m_monitor);
      QVERIFY2(made, qPrintable(file));
      const auto* const plan = std::get_if<view::PlanPagePtr>(&made->content);
      if (!plan) continue;
      for (const std::string& function : (*plan)->functions) {
        const auto chosen = (*plan)->choose({function, {}}, m_monitor);
        QVERIFY2(chosen, qPrintable(file));
        for (const std::string& note : (*chosen)->notes) {
          if (!note.starts_with("The compiler states")) continue;
          QVERIFY2(note.find(", as much as its storages") != std::string::npos,
                   (file.toStdString() + " " + function + ": " + note).c_str());
          ++compared;
        }
      }
    }
    qInfo("%d functions compared", compared);
    QVERIFY(compared >= 8);
  }

private:
  NullMonitor m_monitor;
};

BLOBSCOPE_TEST(TestPlanPages);
#include "test_pages.moc"
