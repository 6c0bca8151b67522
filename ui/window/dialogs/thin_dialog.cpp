#include "ui/window/dialogs/thin_dialog.h"

#include "core/base/text.h"
#include "core/describe/image_change.h"
#include "core/preflight/preflight.h"
#include "core/targets/facts_folder.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/labels.h"
#include "ui/window/dialogs/repack_plan.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <map>
#include <set>
#include <unordered_map>

namespace blobscope::ui {
namespace {

enum ImageColumn { NameColumn, KindColumn, PlaceColumn, SizeColumn, ImageColumns };
constexpr std::size_t kExpanded = 12; ///< with more images, the groups are closed at first

QString kindText(const edit::Image& image) {
  if (image.kind == "cubin") return ThinDialog::tr("machine code");
  if (image.kind == "ptx") return QStringLiteral("PTX");
  if (image.kind == "lto-ir") return QStringLiteral("LTO-IR");
  return toQt(image.kind);
}

void setSize(QTreeWidgetItem& item, uint64_t bytes) {
  item.setText(SizeColumn, bytesText(bytes));
  item.setTextAlignment(SizeColumn, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter));
}

QString imagePlace(const edit::Image& image) { return toQt(image.ref.shown()); }

} // namespace

Result<ThinDialog::Subject> ThinDialog::read(const library::PackagePtr& package, const Ref& place, Monitor& monitor) {
  BLOBSCOPE_TRY(binaries, edit::fatBinariesOf(package, place, monitor));
  BLOBSCOPE_TRY(code, requirements::deviceCodeOf(package, monitor));
  BLOBSCOPE_TRY(facts, targets::loadUsableFacts());
  return Subject{std::move(binaries), std::move(code), std::move(facts)};
}

ThinDialog::ThinDialog(const QString& name, Subject subject, QWidget* parent)
    : QDialog(parent), m_subject(std::move(subject)), m_tree(new QTreeWidget(this)),
      m_sum(new ThemeLabel({}, TextRole::Body, Role::Text, this)),
      m_lost(new ThemeLabel({}, TextRole::Body, Role::Text, this)),
      m_compiled(new ThemeLabel({}, TextRole::Body, Role::Secondary, this)),
      m_refusal(new ThemeLabel({}, TextRole::Body, Role::Error, this)) {
  setWindowTitle(tr("Thin"));
  setProperty("helpTopic", QStringLiteral("editing"));
  resize(620, 440);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(metrics::kDialogMargin, 16, metrics::kDialogMargin, 16);
  layout->setSpacing(12);
  auto* const title =
      new ThemeLabel(tr("Images that %1 keeps").arg(plainLine(name)), TextRole::Heading, Role::Text, this);
  title->setWordWrap(true);
  layout->addWidget(title);
  m_tree->setAccessibleName(tr("Images"));
  m_tree->setHeaderLabels({tr("Image"), tr("Kind"), tr("Place"), tr("Size")});
  m_tree->headerItem()->setTextAlignment(SizeColumn, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter));
  m_tree->setUniformRowHeights(true);
  m_tree->header()->setStretchLastSection(false);
  m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_tree->header()->setSectionResizeMode(PlaceColumn, QHeaderView::Stretch);
  layout->addWidget(m_tree, 1);
  for (ThemeLabel* const label : {m_sum, m_lost, m_compiled, m_refusal}) {
    label->setWordWrap(true);
    layout->addWidget(label);
  }
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_accept = buttons->addButton(tr("Remove images"), QDialogButtonBox::AcceptRole);
  m_accept->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    if (refusal().isEmpty()) accept();
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  findCode();
  fillTree();
  connect(m_tree, &QTreeWidget::itemChanged, this, [this] { m_update.start(); });
  m_update.setSingleShot(true); // a group changes all its rows
  m_update.setInterval(0);
  connect(&m_update, &QTimer::timeout, this, &ThinDialog::updateState);
  updateState();
  m_tree->setFocus();
}

void ThinDialog::findCode() {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < m_subject.code.size(); ++i) places.emplace(m_subject.code[i].ref.toString(), i);
  for (const edit::FatBinary& binary : m_subject.binaries)
    for (std::size_t i = 0; i < binary.images.size(); ++i) {
      const auto found = places.find(binary.images[i].ref.toString());
      m_rows.push_back({&binary, i, nullptr, found == places.end() ? std::nullopt : std::optional(found->second)});
    }
}

void ThinDialog::fillTree() {
  // By name, in the order in which they are first stored.
  std::vector<std::vector<Row*>> groups;
  std::map<std::string, std::size_t> known;
  for (Row& row : m_rows) {
    const auto [at, isNew] = known.try_emplace(row.binary->images[row.number].name, groups.size());
    if (isNew) groups.emplace_back();
    groups[at->second].push_back(&row);
  }
  for (const std::vector<Row*>& group : groups) {
    const edit::Image& first = group.front()->binary->images[group.front()->number];
    auto* const parent = new QTreeWidgetItem(m_tree, {toQt(first.name), kindText(first)});
    parent->setFont(NameColumn, contentFont(TextRole::Code));
    parent->setFlags(parent->flags() | Qt::ItemIsUserCheckable | Qt::ItemIsAutoTristate);
    uint64_t bytes = 0;
    for (Row* const row : group) {
      const edit::Image& image = row->binary->images[row->number];
      bytes += image.bytes;
      row->item = parent;
      if (group.size() == 1) continue;
      row->item = new QTreeWidgetItem(parent, {toQt(image.name), kindText(image), imagePlace(image)});
      row->item->setFont(NameColumn, contentFont(TextRole::Code));
      row->item->setFlags(row->item->flags() | Qt::ItemIsUserCheckable);
      row->item->setCheckState(NameColumn, Qt::Checked);
      row->item->setSizeHint(PlaceColumn, {0, metrics::rowHeight()});
      setSize(*row->item, image.bytes);
    }
    parent->setCheckState(NameColumn, Qt::Checked);
    parent->setText(PlaceColumn,
                    group.size() == 1 ? imagePlace(first) : tr("%n image(s)", nullptr, pluralCount(group.size())));
    setSize(*parent, bytes);
    parent->setSizeHint(PlaceColumn, {0, metrics::rowHeight()});
    parent->setExpanded(m_rows.size() <= kExpanded);
  }
  m_tree->setRootIsDecorated(groups.size() < m_rows.size());
  m_tree->setCurrentItem(m_tree->topLevelItem(0));
}

std::vector<Ref> ThinDialog::removed() const {
  std::vector<Ref> out;
  for (const Row& row : m_rows)
    if (row.item->checkState(NameColumn) == Qt::Unchecked) out.push_back(row.binary->images[row.number].ref);
  return out;
}

QString ThinDialog::refusal() const {
  std::map<const edit::FatBinary*, std::set<std::size_t>> numbers;
  for (const Row& row : m_rows)
    if (row.item->checkState(NameColumn) == Qt::Unchecked) numbers[row.binary].insert(row.number);
  for (const auto& [binary, without] : numbers)
    if (const auto checked = edit::checkRemovable(*binary, without); !checked)
      return sentenceOf(checked.error().message());
  return {};
}

void ThinDialog::updateState() {
  uint64_t bytes = 0, all = 0, count = 0;
  std::vector<bool> gone(m_subject.code.size(), false);
  for (const Row& row : m_rows) {
    const uint64_t size = row.binary->images[row.number].bytes;
    all += size;
    if (row.item->checkState(NameColumn) != Qt::Unchecked) continue;
    bytes += size;
    ++count;
    if (row.code) gone[*row.code] = true;
  }
  m_sum->setText(count == 0 ? tr("All images are kept.")
                            : tr("%n image(s) (is|are) removed; that saves %1 of %2.", nullptr, pluralCount(count))
                                  .arg(toQt(groupedText(bytes)), bytesText(all)));
  std::vector<requirements::DeviceCode> left;
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (!gone[i]) left.push_back(m_subject.code[i]);
  const QString why = refusal();
  std::vector<preflight::GpuChange> changes;
  if (count > 0 && why.isEmpty()) changes = preflight::gpuChanges(m_subject.code, left, m_subject.facts);
  const auto show = [](ThemeLabel& label, const QString& text) {
    label.setText(text);
    label.setVisible(!text.isEmpty());
  };
  const std::string lost = describe::gpusText(changes, describe::GpuEffect::Lost),
                    compiled = describe::gpusText(changes, describe::GpuEffect::Compiled);
  const bool safe = count > 0 && why.isEmpty() && lost.empty();
  m_lost->setRole(lost.empty() ? Role::Text : Role::Warning);
  show(*m_lost, !lost.empty() ? tr("No longer runs on: %1").arg(toQt(lost))
                : safe        ? tr("It still runs on the same GPUs.")
                              : QString());
  show(*m_compiled,
       compiled.empty() ? QString() : tr("From now on, the driver compiles PTX on: %1").arg(toQt(compiled)));
  show(*m_refusal, why);
  m_accept->setEnabled(count > 0 && why.isEmpty());
}

} // namespace blobscope::ui
