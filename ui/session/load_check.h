#pragma once

#include "core/describe/preflight.h"
#include "core/library/package.h"
#include "ui/session/jobs.h"

#include <QObject>
#include <QString>

#include <memory>

namespace blobscope::ui {

/// Finds in the background on which releases of TVM the shown file loads.
class LoadCheck : public QObject {
  Q_OBJECT
public:
  using SummaryPtr = std::shared_ptr<const describe::PreflightSummary>;

  explicit LoadCheck(Jobs& jobs, QObject* parent = nullptr) : QObject(parent), m_jobs(jobs) {}
  /// Drops the earlier result and starts for this file, if it can be loaded at all.
  void start(const library::PackagePtr& package);
  /// Null until it is known.
  const SummaryPtr& summary() const { return m_summary; }
  /// The answer for this machine, describe::summarizeHere(); empty until it is known, and when nothing is known.
  const QString& here() const { return m_here; }
  static QString tag() { return QStringLiteral("preflight"); }
  /// Of the job that asks the drivers.
  static QString hereTag() { return QStringLiteral("preflight/here"); }

Q_SIGNALS:
  void ready();
  void hereReady();

private:
  void startHere();

  Jobs& m_jobs;
  SummaryPtr m_summary;
  QString m_here;
};

} // namespace blobscope::ui
