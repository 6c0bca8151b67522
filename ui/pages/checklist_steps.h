#pragma once

#include "core/view/page.h"

#include <QWidget>

class QGridLayout;
class QVBoxLayout;

namespace blobscope::ui {

/// The steps of a checklist: number, icon, title and summary, and below what is missing or not known, with the words of
/// the runtime, a note and links. Steps that are met can be hidden.
class ChecklistSteps : public QWidget {
  Q_OBJECT
public:
  explicit ChecklistSteps(QWidget* parent = nullptr);
  void setSteps(const std::vector<view::ChecklistPage::Step>& steps);
  void setMetHidden(bool hidden);

Q_SIGNALS:
  /// The user follows a link.
  void followed(const view::ChecklistPage::Link& link);

private:
  QWidget* makeStep(const view::ChecklistPage::Step& step, int titleWidth);
  QWidget* makeItem(const view::ChecklistPage::Item& item, QWidget* parent);
  QWidget* makeLinks(const std::vector<view::ChecklistPage::Link>& links, QWidget* parent);

  QVBoxLayout* m_layout;
  std::vector<std::pair<QWidget*, bool>> m_steps; ///< with whether the step is met
  bool m_hidesMet = false;
};

} // namespace blobscope::ui
