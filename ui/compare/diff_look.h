#pragma once

#include "core/diff/tree.h"
#include "ui/session/comparison.h"
#include "ui/theme/theme.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QPainter;

namespace blobscope::ui {

/// Colours of a status: for its sign and for its background.
struct StatusLook {
  Role sign, background;
};
StatusLook statusLook(diff::Status status);
/// Paints the sign of a status in a box of 16 pixels.
void paintBadge(QPainter* painter, QRect place, diff::Status status);

/// A word on a coloured background: "13 renamed".
class StatusChip : public QWidget {
  Q_OBJECT
public:
  explicit StatusChip(QWidget* parent = nullptr);
  /// Uses the colours of the status; with `plain`, neutral colours.
  void showStatus(const QString& text, diff::Status status, bool plain = false);
  QString text() const { return m_text; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString m_text;
  diff::Status m_status = diff::Status::Same;
  bool m_plain = true;
};

/// "A" or "B" in the colours of its side.
class SideMark : public QWidget {
  Q_OBJECT
public:
  explicit SideMark(Side side, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  Side m_side;
};

/// A label and a difference: "metal", "−73,428 bytes (−15.2 %)"; "Registers", "96 → 168 in add".
struct SizeChange {
  QString label, text;
};
/// Returns the sizes that differ: those of the files, then those of modules, the largest differences first; at most
/// `limit`. Then the registers and the occupancy of kernels, the largest difference of each.
std::vector<SizeChange> sizeChanges(const Compared& compared, std::size_t limit);
/// "2,677,056 bytes · arm64 · B1 classic".
QString fileFacts(const library::Package& package);

/// Whether one side can be made equal to the other at this node.
bool isCopied(const std::optional<Ref>& a, const std::optional<Ref>& b, diff::Status status);
/// Returns the text of that action for `side`: "Copy to B", "Remove from B".
QString copyText(const std::optional<Ref>& a, const std::optional<Ref>& b, Side side);

} // namespace blobscope::ui
