#pragma once

#include "core/fix/fixes.h"
#include "ui/session/document.h"

#include <QDialog>

#include <memory>
#include <optional>

class QButtonGroup;
class QListView;
class QPushButton;
class QStringListModel;
class QVBoxLayout;

namespace blobscope::ui {

class CompareView;
class ThemeLabel;

/// Shows what quick fixes would change, as a comparison of the archive before and after them, and applies them as one
/// undoable step. The dialog works on the state that the document has when it is created.
class FixDialog : public QDialog {
  Q_OBJECT
public:
  enum class Scope { Finding, Rule, All };
  /// `issue`: the finding to mend, with a quick fix; nothing to mend all findings. The document must have a state.
  FixDialog(Document& document, const std::optional<check::Issue>& issue, QWidget* parent);
  ~FixDialog() override;

  void setScope(Scope scope);
  /// Null while the fixes are computed, and when that failed.
  const std::shared_ptr<const fix::FixPlan>& plan() const { return m_plan; }
  /// The comparison; null before the first plan.
  CompareView* preview() const { return m_preview; }
  QPushButton& applyButton() { return *m_apply; }
  /// What the fixes do, one line each.
  QStringList sentences() const;

Q_SIGNALS:
  void planned();

private:
  void addScopes(QVBoxLayout& layout);
  void computePlan();
  void showPlan(const fix::FixPlan& plan);
  void apply();

  Document& m_document;
  const Document::StatePtr m_state;
  const std::optional<check::Issue> m_issue;
  Scope m_scope;
  std::shared_ptr<const fix::FixPlan> m_plan;
  QButtonGroup* m_scopes;
  QStringListModel* m_lines;
  QListView* m_list;
  QVBoxLayout* m_previewBox;
  CompareView* m_preview = nullptr;
  ThemeLabel *m_title, *m_rest;
  QPushButton* m_apply;
};

} // namespace blobscope::ui
