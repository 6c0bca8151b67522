#pragma once

#include "ui/pages/table_page.h"
#include "ui/session/document.h"

#include <QFormLayout>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

namespace blobscope::ui {

/// Label and value of what is selected; every value can be copied.
class DetailsPanel : public QWidget {
  Q_OBJECT
public:
  explicit DetailsPanel(QWidget* parent = nullptr);
  /// Describes the node in the background and shows its facts.
  void show(Document& document, const Ref& ref);
  void clear();
  /// The facts as text, a line each.
  QString text() const;

private:
  void setRows(const QVector<QPair<QString, QString>>& rows);

  QLabel* m_title;
  QFormLayout* m_form;
  QVector<QPair<QString, QString>> m_rows;
};

/// All findings, worst first, with filters by severity and by word. Activating a row goes to its place.
class ProblemsPanel : public QWidget {
  Q_OBJECT
public:
  explicit ProblemsPanel(Jobs& jobs, QWidget* parent = nullptr);
  void setPackage(const library::PackagePtr& package);
  /// Number of findings of that severity.
  int count(Severity severity) const { return m_counts[static_cast<std::size_t>(severity)]; }
  /// Goes to the next (or, backwards, previous) finding.
  void step(bool backwards);

Q_SIGNALS:
  void activated(const Ref& ref);

private:
  void fill();

  Jobs& m_jobs;
  library::PackagePtr m_package;
  std::array<int, 3> m_counts = {};
  std::array<QToolButton*, 3> m_toggles = {};
  std::vector<std::size_t> m_shown; ///< diagnostics of the rows
  QWidget* m_empty;
  TablePage* m_table = nullptr;
  int m_current = -1;
};

} // namespace blobscope::ui
