#include "core/check/baseline.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::check;
using namespace std::string_literals;

class TestBaseline : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void findingsMatchByRulePlaceAndMessage() {
    const auto baseline = read(R"({"schema": "blobscope.check/1", "findings": [{"rule": "MLF-306",
      "message": "missing 'p'", "place": {"member": {"hex": "70ff"}, "pointer": null, "line": 3}}]})");
    QVERIFY(baseline);
    Issue issue;
    issue.rule = "MLF-306";
    issue.message = "missing 'p'";
    issue.place = {"p\xff", {}, 3, {}};
    QVERIFY(isKnown(*baseline, issue));
    issue.place.line = 4;
    QVERIFY(!isKnown(*baseline, issue));
    issue.place.line = 3;
    issue.place.offset = 3;
    QVERIFY(!isKnown(*baseline, issue));
    issue.place.offset.reset();
    issue.message += '.';
    QVERIFY(!isKnown(*baseline, issue));
    QVERIFY(!isKnown(Baseline(), issue));
  }

  /// With a fingerprint, the place and the message may differ, and each finding is known once.
  void fingerprintsAreCounted() {
    const auto baseline = read(R"({"schema": "blobscope.check/1", "findings": [{"rule": "SAFE-FILE",
      "message": "at 0x10", "place": {"offset": 16}, "fingerprint": "ab"}]})");
    QVERIFY(baseline);
    Issue issue;
    issue.rule = "SAFE-FILE";
    issue.message = "at 0x20";
    issue.place.offset = 32;
    issue.fingerprint = "ab";
    QVERIFY(isKnown(*baseline, issue));
    QCOMPARE(baseline->known({issue, issue}), (std::vector<bool>{true, false}));
    std::vector<Issue> issues{issue, issue};
    QCOMPARE(baseline->remove(issues), uint64_t{1});
    QCOMPARE(issues.size(), std::size_t{1});
    issue.fingerprint = "ac";
    QVERIFY(!isKnown(*baseline, issue));
    issue.fingerprint = "ab";
    issue.rule = "SAFE-NETWORK";
    QVERIFY(!isKnown(*baseline, issue));
  }

  void otherFilesAreRefused() {
    for (const char* text :
         {"", "[]", "{}", R"({"schema": "blobscope.check/1"})", R"({"schema": "blobscope.check/2", "findings": []})",
          R"({"schema": "blobscope.check/1", "findings": {}})"}) {
      const auto baseline = read(text);
      QVERIFY2(!baseline, text);
      QVERIFY2(baseline.error().code() == ErrorCode::Usage || text[0] == 0, text);
    }
    QVERIFY(Baseline::read((m_folder.path() + QStringLiteral("/missing")).toStdString()).error().id() ==
            DiagnosticId::FileNotFound);
    QVERIFY(read(R"({"schema": "blobscope.check/1", "findings": []})"));
  }

private:
  static bool isKnown(const Baseline& baseline, const Issue& issue) { return baseline.known({issue}).front(); }

  Result<Baseline> read(const std::string& text) {
    const QString path = m_folder.filePath(QStringLiteral("baseline.json"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
      return Error(DiagnosticId::Internal, {});
    file.close();
    return Baseline::read(path.toStdString());
  }

  QTemporaryDir m_folder;
};

BLOBSCOPE_TEST(TestBaseline);

#include "test_baseline.moc"
