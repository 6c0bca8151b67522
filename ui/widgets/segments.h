#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace blobscope::ui {

/// A few choices as buttons in one frame; one of them is chosen.
class Segments : public QWidget {
  Q_OBJECT
public:
  /// `name`: what is chosen, for screen readers.
  explicit Segments(const QString& name, QWidget* parent = nullptr);
  void setChoices(const QStringList& choices);
  void setCurrent(int index);
  int current() const;

Q_SIGNALS:
  /// The user chose another one.
  void chosen(int index);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString m_name;
  QButtonGroup* m_group;
};

} // namespace blobscope::ui
