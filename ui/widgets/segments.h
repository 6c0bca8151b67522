#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace blobscope::ui {

/// A few choices side by side in a box, one of which is selected. The arrow keys select.
class Segments : public QWidget {
  Q_OBJECT
public:
  /// `name`: for screen readers.
  explicit Segments(const QString& name, QWidget* parent = nullptr);
  /// `tips`: one for each choice, or none.
  void setChoices(const QStringList& choices, const QStringList& tips = {});
  int count() const;
  int current() const;
  /// Selects without a signal.
  void setCurrent(int index);

Q_SIGNALS:
  /// The user selected another choice.
  void chosen(int index);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString m_name;
  QButtonGroup* m_group;
};

} // namespace blobscope::ui
