#pragma once

#include "ui/widgets/text/edit_view.h"

#include <QListWidget>

namespace blobscope::ui {

/// The marks of an EditView as a list below it, as high as its rows, at most five; hidden without marks. A click or
/// Enter goes to the place.
class MarkList : public QListWidget {
  Q_OBJECT
public:
  /// `view` outlives the list.
  explicit MarkList(EditView* view, QWidget* parent = nullptr);

private:
  void fill();

  EditView* m_view;
};

} // namespace blobscope::ui
