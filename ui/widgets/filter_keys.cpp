#include "ui/widgets/filter_keys.h"

#include "ui/theme/icons.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>

namespace blobscope::ui {
namespace {

/// Number of rows that are searched; in a longer list, the first ones.
constexpr int kSearchedRows = 20'000;

class FilterKeys : public QObject {
public:
  FilterKeys(QLineEdit& field, QAbstractItemView* view) : QObject(&field), m_field(field), m_view(view) {
    field.installEventFilter(this);
  }

protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) return false;
    const auto key = static_cast<QKeyEvent*>(event)->key();
    const bool clears = key == Qt::Key_Escape && !m_field.text().isEmpty();
    if (event->type() == QEvent::ShortcutOverride) {
      if (clears) event->accept();
      return false;
    }
    if (clears) {
      m_field.clear();
      return true;
    }
    if (!m_view || !m_view->model()) return false;
    if (key == Qt::Key_Down) {
      m_view->setFocus(Qt::TabFocusReason);
      if (!m_view->currentIndex().isValid()) m_view->setCurrentIndex(m_view->model()->index(0, 0));
      return true;
    }
    if ((key != Qt::Key_Return && key != Qt::Key_Enter) || m_field.text().trimmed().isEmpty()) return false;
    int left = kSearchedRows;
    const QModelIndex found = firstMatch({}, left);
    if (!found.isValid()) return true;
    m_view->setCurrentIndex(found);
    m_view->setFocus(Qt::TabFocusReason);
    Q_EMIT m_view->activated(found);
    return true;
  }

private:
  QModelIndex firstMatch(const QModelIndex& parent, int& left) const {
    const QAbstractItemModel& model = *m_view->model();
    const QString text = m_field.text().trimmed();
    for (int row = 0; row < model.rowCount(parent); ++row) {
      if (--left < 0) return {};
      for (int column = 0; column < model.columnCount(parent); ++column)
        if (model.index(row, column, parent).data().toString().contains(text, Qt::CaseInsensitive))
          return model.index(row, 0, parent);
      if (const QModelIndex below = firstMatch(model.index(row, 0, parent), left); below.isValid()) return below;
    }
    return {};
  }

  QLineEdit& m_field;
  QPointer<QAbstractItemView> m_view;
};

} // namespace

void addFilterKeys(QLineEdit& field, QAbstractItemView& view) { new FilterKeys(field, &view); }

void clearOnEscape(QLineEdit& field) { new FilterKeys(field, nullptr); }

void addFindIcon(QLineEdit& field) {
  QAction* const find = field.addAction(icon(QStringLiteral("find")), QLineEdit::LeadingPosition);
  // Assistive technology reads it as the name of the button.
  find->setText(QCoreApplication::translate("blobscope::ui::FilterKeys", "Search"));
  QObject::connect(find, &QAction::triggered, &field, [&field] { field.setFocus(); });
}

} // namespace blobscope::ui
