#pragma once

#include "core/mlf/check.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_support.h"

#include <QStringList>
#include <QTest>

namespace blobscope::test {

/// The findings of all rules for an archive, worst first: "616 metadata.json: storage 5 has …".
inline QStringList reported(std::string_view tar) {
  NullMonitor monitor;
  const auto report = mlf::checkArchive(bytes(tar), monitor);
  if (!report) return {QString::fromStdString(report.error().message())};
  QStringList lines;
  for (const check::Issue& issue : report->issues)
    lines << QString::fromStdString(issue.rule.substr(4) + " " + issue.message);
  return lines;
}

inline void addBrokenColumns() {
  QTest::addColumn<std::string>("tar");
  QTest::addColumn<QStringList>("lines");
}
/// `lines`: the only findings of the archive.
inline void broken(const char* name, const std::string& tar, const QStringList& lines) {
  QTest::newRow(name) << tar << lines;
}
inline void broken(const char* name, const Mlf& archive, const QStringList& lines) {
  broken(name, archive.tar(), lines);
}

} // namespace blobscope::test

/// The test function that compares each row.
#define BLOBSCOPE_COMPARE_FINDINGS()                                                                                   \
  QFETCH(std::string, tar);                                                                                            \
  QFETCH(QStringList, lines);                                                                                          \
  QCOMPARE(blobscope::test::reported(tar).join(QLatin1Char('\n')), lines.join(QLatin1Char('\n')))
