#include "ui/models/problems_model.h"

#include "core/base/text.h"
#include "ui/models/contents_model.h"
#include "ui/session/strings.h"

namespace blobscope::ui {

void ProblemsModel::setPackage(library::PackagePtr package) {
  beginResetModel();
  m_package = std::move(package);
  m_counts = {};
  if (m_package)
    for (const Diagnostic& diagnostic : m_package->diagnostics) ++m_counts[static_cast<std::size_t>(diagnostic.severity())];
  fill();
  endResetModel();
}

void ProblemsModel::setFilter(const std::array<bool, 3>& severities, const QString& words) {
  beginResetModel();
  m_severities = severities;
  m_words = words;
  fill();
  endResetModel();
}

void ProblemsModel::fill() {
  m_rows.clear();
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    if (!m_package || !m_severities[static_cast<std::size_t>(severity)]) continue;
    for (std::size_t i = 0; i < m_package->diagnostics.size(); ++i) {
      const Diagnostic& diagnostic = m_package->diagnostics[i];
      if (diagnostic.severity() != severity) continue;
      if (!m_words.isEmpty() && !toQt(diagnostic.message()).contains(m_words, Qt::CaseInsensitive) &&
          !toQt(diagnostic.idText()).contains(m_words, Qt::CaseInsensitive))
        continue;
      m_rows.push_back(i);
    }
  }
}

int ProblemsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Diagnostic& found = diagnostic(index.row());
  if (role == ProblemSeverityRole) return static_cast<int>(found.severity());
  if (role == Qt::ToolTipRole && index.column() == Problem) return toQt(found.message());
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
  case Problem:
    return role == Qt::AccessibleTextRole ? severityWord(found.severity()) + QStringLiteral(": ") + toQt(found.message()) : toQt(found.message());
  case Rule: return toQt(found.idText());
  case Where: {
    const std::string where = found.place.node().toString();
    return where.empty() ? tr("file") : toQt(where);
  }
  default: return found.place.at ? toQt(hexText(*found.place.at)) : QString();
  }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
  case Problem: return tr("Problem");
  case Rule: return tr("Rule");
  case Where: return tr("Where");
  default: return tr("Byte");
  }
}

} // namespace blobscope::ui
