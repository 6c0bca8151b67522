#pragma once

#include "core/run/report.h"
#include "core/view/details.h"

#include <QWidget>

namespace blobscope::ui {

class DetailsPanel;
class LinkButton;
class ValueHistogram;

/// The panel beside the nodes of a whole model: details of one node, the histogram of its output, and links to what
/// shows more of it.
class NodeSide : public QWidget {
  Q_OBJECT
public:
  /// `compared`: there are two builds; `other`: the other one is a file that can be opened.
  NodeSide(bool compared, bool other, QWidget* parent);
  const DetailsPanel& details() const { return *m_details; }
  /// `other`: the node of the other build; may be null.
  void show(view::Details details, const run::NodeResult& node, const run::NodeResult* other);
  /// Which links lead somewhere. `hasCode`: of the node's function; `hasTensors`: both outputs are on disk.
  void setLinks(bool hasCode, bool hasTensors);

Q_SIGNALS:
  void linked(const Ref& ref);
  void compareRequested();
  void tensorsRequested();
  void aloneRequested();

private:
  DetailsPanel* m_details;
  ValueHistogram* m_histogram;
  LinkButton *m_compare, *m_tensors, *m_alone;
};

} // namespace blobscope::ui
