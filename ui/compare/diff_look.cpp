#include "ui/compare/diff_look.h"

#include "core/base/text.h"
#include "core/describe/code_changes.h"
#include "core/describe/comparison.h"
#include "core/library/blob.h"
#include "ui/models/diff_model.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace blobscope::ui {
namespace {

using diff::Status;
using diff::Topic;

constexpr std::size_t kKernelName = 40;

constexpr int kChip = 20, kChipMargin = 8, kMark = 22;

void box(QPainter* painter, const QRectF& rect, Role background) {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(theme().color(background));
  painter->drawRoundedRect(rect, 4, 4);
  painter->restore();
}

QString grouped(uint64_t number) { return toQt(groupedText(number)); }

QString sizesText(uint64_t before, uint64_t after) {
  const bool more = after > before;
  const uint64_t bytes = more ? after - before : before - after;
  const QString sign = more ? QStringLiteral("+") : QStringLiteral("−");
  QString out = DiffModel::tr("%1%2 byte(s)", nullptr, pluralCount(bytes)).arg(sign, grouped(bytes));
  if (before == 0) return out;
  const double percent = static_cast<double>(bytes) / static_cast<double>(before) * 100;
  return out + QStringLiteral(" (%1%2 %)")
                   .arg(sign, percent < 0.1 ? QString::number(percent, 'g', 1) : QString::number(percent, 'f', 1));
}

} // namespace

StatusLook statusLook(Status status) {
  switch (status) {
  case Status::Changed: return {Role::Changed, Role::ChangedLine};
  case Status::Added: return {Role::Added, Role::AddedLine};
  case Status::Removed: return {Role::Removed, Role::RemovedLine};
  case Status::Renamed:
  case Status::Moved: return {Role::Moved, Role::MovedLine};
  case Status::Same: break;
  }
  return {Role::Secondary, Role::Header};
}

void paintBadge(QPainter* painter, QRect place, Status status) {
  if (status == Status::Same) return;
  const StatusLook look = statusLook(status);
  box(painter, QRectF(place), look.background);
  QFont font = textFont(TextRole::Chip);
  font.setWeight(QFont::DemiBold);
  painter->setFont(font);
  painter->setPen(theme().color(look.sign));
  painter->drawText(place, Qt::AlignCenter, statusBadge(status));
}

StatusChip::StatusChip(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }

void StatusChip::showStatus(const QString& text, Status status, bool plain) {
  m_text = plainLine(text);
  m_status = status;
  m_plain = plain;
  setAccessibleName(plainLine(text));
  updateGeometry();
  update();
}

QSize StatusChip::sizeHint() const {
  const QFontMetrics metrics(textFont(TextRole::Chip));
  return {metrics.horizontalAdvance(m_text) + 2 * kChipMargin, std::max(kChip, metrics.height() + 4)};
}

void StatusChip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const StatusLook look = statusLook(m_plain ? Status::Same : m_status);
  box(&painter, QRectF(rect()), look.background);
  painter.setFont(textFont(TextRole::Chip));
  painter.setPen(theme().color(look.sign));
  painter.drawText(rect(), Qt::AlignCenter, m_text);
}

SideMark::SideMark(Side side, QWidget* parent) : QWidget(parent), m_side(side) { setFixedSize(kMark, kMark); }

void SideMark::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  box(&painter, QRectF(rect()), m_side == Side::A ? Role::RemovedLine : Role::AddedLine);
  QFont font = textFont(TextRole::Secondary);
  font.setWeight(QFont::DemiBold);
  painter.setFont(font);
  painter.setPen(theme().color(m_side == Side::A ? Role::Removed : Role::Added));
  painter.drawText(rect(), Qt::AlignCenter, m_side == Side::A ? QStringLiteral("A") : QStringLiteral("B"));
}

std::vector<SizeChange> sizeChanges(const Compared& compared, std::size_t limit) {
  struct Change {
    uint64_t amount;
    SizeChange text;
  };
  std::vector<Change> modules;
  for (std::size_t node = 0; node < compared.nodes.size(); ++node) {
    const Compared::Node& facts = compared.nodes[node];
    const diff::DiffNode& both = compared.tree.nodes[node];
    if ((both.topic != Topic::Module && both.topic != Topic::Member) || !facts.sizeA || !facts.sizeB ||
        facts.sizeA == facts.sizeB)
      continue;
    const uint64_t amount = *facts.sizeA > *facts.sizeB ? *facts.sizeA - *facts.sizeB : *facts.sizeB - *facts.sizeA;
    modules.push_back({amount, {toQt(escapedWithin(both.name, 40)), sizesText(*facts.sizeA, *facts.sizeB)}});
  }
  std::stable_sort(modules.begin(), modules.end(),
                   [](const Change& x, const Change& y) { return x.amount > y.amount; });
  std::vector<SizeChange> out;
  if (compared.tree.a.size != compared.tree.b.size)
    out.push_back({DiffModel::tr("File"), sizesText(compared.tree.a.size, compared.tree.b.size)});
  else
    out.push_back({DiffModel::tr("File"), DiffModel::tr("same size")});
  for (Change& change : modules)
    if (out.size() < limit) out.push_back(std::move(change.text));
  for (const describe::ResourceChange& change : describe::resourceChanges(compared.tree)) {
    QString text = DiffModel::tr("%1 in %2")
                       .arg(toQt(describe::changeText(change)), toQt(escapedWithin(change.kernel, kKernelName)));
    if (change.kernels > 1)
      text = DiffModel::tr("%1 and in %n other kernel(s)", nullptr, pluralCount(change.kernels - 1)).arg(text);
    out.push_back({change.perCent ? DiffModel::tr("Occupancy") : DiffModel::tr("Registers"), text});
  }
  return out;
}

QString fileFacts(const library::Package& package) {
  QStringList out{bytesText(package.bytes.size())};
  if (!package.image.arch.empty()) out << toQt(package.image.arch);
  if (!package.blobs.empty()) {
    const library::Era era = package.blobs.front()->era;
    const bool ffi = era == library::Era::C0 || era == library::Era::C1;
    out << QStringLiteral("%1 %2").arg(toQt(library::eraName(era)),
                                       ffi ? QStringLiteral("ffi") : QStringLiteral("classic"));
  }
  return out.join(QStringLiteral(" · "));
}

bool isCopied(const std::optional<Ref>& a, const std::optional<Ref>& b, diff::Status status) {
  if (status == diff::Status::Same || (!a && !b) || (a && *a == Ref::file())) return false;
  if (a && b) return true;
  // For a node of one side only: what edits can add and remove.
  const Ref& only = a ? *a : *b;
  return only.kind == Ref::Kind::Module && (only.parts.empty() || only.parts[0].kind == PartKind::Kernel);
}

QString copyText(const std::optional<Ref>& a, const std::optional<Ref>& b, Side side) {
  const bool missing = side == Side::A ? !b : !a;
  if (missing) return side == Side::B ? DiffModel::tr("Remove from B") : DiffModel::tr("Remove from A");
  return side == Side::B ? DiffModel::tr("Copy to B") : DiffModel::tr("Copy to A");
}

} // namespace blobscope::ui
