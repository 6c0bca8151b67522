#include "ui/window/node_side.h"

#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/value_histogram.h"
#include "ui/widgets/labels.h"
#include "ui/window/panels/details_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

ValueHistogram::Values valuesOf(const run::NodeResult* node) {
  ValueHistogram::Values out;
  if (!node || node->outputs.empty()) return out;
  const run::Output& output = node->outputs.front();
  if (!output.statistics || output.statistics->values.finite() == 0) return out;
  const payloads::TensorStatistics& values = output.statistics->values;
  out.low = values.minimum;
  out.high = values.maximum;
  for (const uint64_t count : values.histogram) out.bins << static_cast<double>(count);
  return out;
}

} // namespace

NodeSide::NodeSide(bool compared, bool other, QWidget* parent)
    : QWidget(parent), m_details(new DetailsPanel(this)), m_histogram(new ValueHistogram(this)),
      m_compare(new LinkButton(tr("Compare the code"), this)),
      m_tensors(new LinkButton(tr("Both outputs as tensors"), this)),
      m_alone(new LinkButton(tr("Run this node alone…"), this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Window);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_details->setAccessibleName(tr("Details of the node"));
  layout->addWidget(m_details, 1);
  layout->addWidget(m_histogram);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  auto* const foot = new QVBoxLayout;
  foot->setContentsMargins(12, 8, 12, 10);
  foot->setSpacing(6);
  auto* const title = new ThemeLabel(tr("Look closer"), TextRole::Secondary, Role::Text, this);
  QFont bold = title->font();
  bold.setWeight(QFont::DemiBold);
  title->setFont(bold);
  foot->addWidget(title);
  const auto add = [&](LinkButton* link, const char* icon, Role role, bool shown) {
    auto* const line = new QHBoxLayout;
    line->setSpacing(6);
    auto* const mark = new IconLabel(QLatin1String(icon), role, metrics::kIcon, this);
    line->addWidget(mark);
    line->addWidget(link);
    line->addStretch(1);
    foot->addLayout(line);
    link->setVisible(shown);
    mark->setVisible(shown);
  };
  add(m_compare, "compare", Role::Accent, compared && other);
  add(m_tensors, "kind-tensor", Role::Secondary, compared);
  add(m_alone, "run", Role::Accent, true);
  layout->addLayout(foot);
  setMinimumWidth(220);
  connect(m_details, &DetailsPanel::linked, this, &NodeSide::linked);
  connect(m_compare, &LinkButton::clicked, this, &NodeSide::compareRequested);
  connect(m_tensors, &LinkButton::clicked, this, &NodeSide::tensorsRequested);
  connect(m_alone, &LinkButton::clicked, this, &NodeSide::aloneRequested);
}

void NodeSide::show(view::Details details, const run::NodeResult& node, const run::NodeResult* other) {
  m_details->show(std::move(details));
  m_histogram->setValues(valuesOf(&node), valuesOf(other));
  m_histogram->setVisible(!m_histogram->isEmpty());
}

void NodeSide::setLinks(bool hasCode, bool hasTensors) {
  m_compare->setEnabled(hasCode);
  m_alone->setEnabled(hasCode);
  m_tensors->setEnabled(hasTensors);
  m_tensors->setToolTip(
      plainTip(hasTensors ? QString() : tr("The outputs of both builds are no longer on disk, or were not kept.")));
}

} // namespace blobscope::ui
