#pragma once

#include "core/base/ref.h"
#include "core/view/details.h"
#include "ui/session/document.h"
#include "ui/widgets/scroll_area.h"

class QGridLayout;
class QHBoxLayout;

namespace blobscope::ui {

/// Groups of labels and values about the selection; every value can be copied, links open other nodes. While it shows
/// a finding, its help topic is the rule.
class DetailsPanel : public ScrollArea {
  Q_OBJECT
public:
  explicit DetailsPanel(QWidget* parent = nullptr);
  /// Describes the node in the background and shows the result.
  void showNode(Document& document, const Ref& ref);
  void show(view::Details details);
  const view::Details& details() const { return m_details; }
  /// Returns the groups as text, a line per value.
  QString text() const;

Q_SIGNALS:
  void linked(const Ref& ref);
  /// The id of a rule was clicked.
  void ruleRequested(const QString& id);
  /// The user wants to mend the finding that is shown.
  void fixRequested();
  /// The user requests the context menu of a row.
  void menuRequested(const std::optional<Ref>& node, const QString& value, const QPoint& place);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeGroup(const view::DetailGroup& group);
  /// Makes a right click on `widget` request the context menu of the row.
  void addMenu(QWidget* widget, const view::DetailRow& detail);
  /// `name`: the label as it is shown.
  void addRow(const view::DetailRow& detail, const QString& name, QGridLayout* grid, int row, QWidget* box);
  /// The values of both sides, in columns; those of B are marked where they differ.
  void addPair(const view::DetailRow& detail, const QString& name, QGridLayout* grid, int row, QWidget* box);
  /// A button for each reading; the chosen one is remembered for other groups with a reading of that name.
  QWidget* makeReadings(const view::DetailGroup& group, QWidget* box);
  /// Returns the rows that are shown: those of the chosen reading first.
  std::vector<view::DetailRow> shownRows(const view::DetailGroup& group) const;
  const view::DetailReading* chosenReading(const view::DetailGroup& group) const;
  QHBoxLayout* makeNoted(const view::DetailRow& detail, QWidget* box);
  QHBoxLayout* makeStep(const view::DetailStep& step, QWidget* box);

  view::Details m_details;
  std::string m_reading; ///< name of the last one that the user chose
};

/// Whether the labels of a group are names from the file: the arguments and sizes of a function.
bool labelsAreNames(const view::DetailGroup& group);

} // namespace blobscope::ui
