#pragma once

#include "ui/models/edits_model.h"

#include <QWidget>

class QAbstractButton;
class QTableView;

namespace blobscope::ui {

class ThemeLabel;

/// The pending edits. Activating one shows its target; Revert undoes it and keeps the later ones.
class ChangesPanel : public QWidget {
  Q_OBJECT
public:
  explicit ChangesPanel(QWidget* parent = nullptr);
  void setChanges(const std::vector<edit::Description>& changes);
  const EditsModel& model() const { return *m_model; }
  QTableView& view() { return *m_view; }

Q_SIGNALS:
  void activated(int row);
  void revertRequested(int row);
  void repackRequested();

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void revertSelected();
  void updateState();

  EditsModel* m_model;
  QTableView* m_view;
  ThemeLabel *m_summary, *m_empty;
  QAbstractButton *m_revert, *m_repack;
};

} // namespace blobscope::ui
