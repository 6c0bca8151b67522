#pragma once

#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/library/contents.h"
#include "core/library/package.h"
#include "core/view/details.h"
#include "core/view/page.h"
#include "ui/session/jobs.h"

#include <QWidget>

#include <optional>

namespace blobscope::ui {

/// A widget that shows one page. What it can do beyond showing is asked through this interface, so that the window
/// knows no page kinds.
class PageWidget : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;
  /// Goes to a place in the file; false when the page does not show places.
  virtual bool goToOffset(uint64_t offset, std::optional<uint64_t> size) {
    Q_UNUSED(offset)
    Q_UNUSED(size)
    return false;
  }
  /// Marks these places of the file, in order, where the page shows them.
  virtual void markHits(const std::vector<Extent>& hits) { Q_UNUSED(hits) }
  /// Shows a part of the node (a kernel, a field); false when the page does not show such parts.
  virtual bool showPart(const Ref::Part& part) {
    Q_UNUSED(part)
    return false;
  }
  /// The part that is selected, so that the page of a later state can show it.
  virtual std::optional<Ref::Part> selectedPart() const { return std::nullopt; }
  /// Lets the user change what is selected where it stands; false when the page cannot.
  virtual bool editSelection() { return false; }
  /// What stands at the right end of the page bar, null for nothing. Belongs to the page.
  virtual QWidget* tools() { return nullptr; }
  /// Opens the page's way to find something in it, and goes on from the current find.
  virtual void openFind() {}
  virtual void findNext(bool backwards) { Q_UNUSED(backwards) }
  /// Asks for an offset or a line.
  virtual void openGoTo() {}

Q_SIGNALS:
  /// What the status bar says of the selection, empty for nothing.
  void selectionText(const QString& text);
  /// A sentence for the user, such as why a copy was refused; an empty one when the last one is no longer true.
  void message(const QString& text);
  /// What the selection is, for the Details panel.
  void detailsChanged(const view::Details& details);
  /// A part of the node was selected that is told of by detailsChanged().
  void partChosen(const Ref& part);
  /// The user wants the menu of a row. `value`: what is shown where it was asked for.
  void menuRequested(const std::optional<Ref>& node, const QString& value, const QPoint& place);
  /// The user gave a field another value.
  void fieldEdited(const Ref& field, const json::Value& value);
  /// The selection stands for another node; when `open`, the user wants to go there.
  void nodeChosen(const Ref& ref, bool open);
};

/// What a page widget is made for.
struct PageContext {
  Jobs& jobs;                              ///< runs sorting, filtering, outlines
  Ref node;                                ///< whose page it is
  std::optional<uint64_t> blobOffset = {}; ///< in the file, of the blob that holds the node
  QString title = {};                      ///< name of the node
  library::RowKind kind = library::RowKind::Section;
  QString moduleKey = {};           ///< of a module
  library::PackagePtr package = {}; ///< the file, for the functions that code names; may be null
  QString topic = {};               ///< help page about nodes of that kind, empty for none
};

} // namespace blobscope::ui
