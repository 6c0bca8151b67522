#pragma once

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
  /// Opens the page's way to find something in it.
  virtual void openFind() {}
  /// Asks for an offset or a line.
  virtual void openGoTo() {}

Q_SIGNALS:
  /// What the status bar says of the selection, empty for nothing.
  void selectionText(const QString& text);
  /// A sentence for the user, such as why a copy was refused.
  void message(const QString& text);
};

/// The widget for a page; `jobs` runs its sorting and filtering.
PageWidget* createPage(const view::Page& page, Jobs& jobs, QWidget* parent);

} // namespace blobscope::ui
