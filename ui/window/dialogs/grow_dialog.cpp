#include "ui/window/dialogs/grow_dialog.h"

#include "core/compile/grow.h"
#include "core/targets/facts_folder.h"
#include "ui/text/plain_text.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/labels.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace blobscope::ui {

Result<GrowDialog::Subject> GrowDialog::read(const library::PackagePtr& package, const Ref& place, Monitor& monitor) {
  BLOBSCOPE_TRY(binaries, edit::fatBinariesOf(package, place, monitor));
  BLOBSCOPE_TRY(facts, targets::loadUsableFacts());
  return Subject{std::move(binaries), std::move(facts)};
}

GrowDialog::GrowDialog(const QString& name, Subject subject, QWidget* parent)
    : QDialog(parent), m_subject(std::move(subject)), m_tree(new QTreeWidget(this)) {
  setWindowTitle(tr("Build for more GPUs"));
  setProperty("helpTopic", QStringLiteral("editing"));
  resize(520, 420);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(12);
  auto* const title =
      new ThemeLabel(tr("Machine code to add to %1").arg(plainLine(name)), TextRole::Heading, Role::Text, this);
  title->setWordWrap(true);
  layout->addWidget(title);
  m_tree->setAccessibleName(tr("Architectures"));
  m_tree->setHeaderLabels({tr("Architecture"), tr("For example")});
  m_tree->setRootIsDecorated(false);
  m_tree->setUniformRowHeights(true);
  m_tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  layout->addWidget(m_tree, 1);
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_accept = buttons->addButton(tr("Compile"), QDialogButtonBox::AcceptRole);
  m_accept->setDefault(true);
  m_accept->setEnabled(false);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  fillTree();
  auto* const note = new ThemeLabel(m_tree->topLevelItemCount() > 0
                                        ? tr("The stored PTX is compiled for each. The images are added as one change.")
                                        : tr("The library stores no PTX that can be compiled for further GPUs."),
                                    TextRole::Body, Role::Secondary, this);
  note->setWordWrap(true);
  layout->addWidget(note);
  layout->addWidget(buttons);
  connect(m_tree, &QTreeWidget::itemChanged, this, [this] { m_accept->setEnabled(!architectures().empty()); });
  m_tree->setFocus();
}

void GrowDialog::fillTree() {
  for (const targets::GpuArchitecture& gpu : m_subject.facts->gpus()) {
    if (std::ranges::none_of(m_subject.binaries,
                             [&](const edit::FatBinary& binary) { return compile::canGrow(binary, gpu.name); }))
      continue;
    auto* const item = new QTreeWidgetItem(m_tree, {toQt(gpu.name), toQt(gpu.example)});
    item->setFont(0, contentFont(TextRole::Code));
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(0, Qt::Unchecked);
    item->setSizeHint(1, {0, metrics::rowHeight()});
  }
  if (m_tree->topLevelItemCount() > 0) m_tree->setCurrentItem(m_tree->topLevelItem(0));
}

std::vector<std::string> GrowDialog::architectures() const {
  std::vector<std::string> out;
  for (int i = 0; i < m_tree->topLevelItemCount(); ++i)
    if (m_tree->topLevelItem(i)->checkState(0) == Qt::Checked) out.push_back(fromQt(m_tree->topLevelItem(i)->text(0)));
  return out;
}

} // namespace blobscope::ui
