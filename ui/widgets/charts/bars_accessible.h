#pragma once

#include <QAccessibleWidget>
#include <QPointer>
#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// The parts of a painted picture as assistive technology sees them. A widget that shows bars implements it.
class AccessibleBars {
public:
  virtual ~AccessibleBars() = default;
  virtual int barCount() const = 0;
  /// Returns a sentence about the bar: its name and size.
  virtual QString barText(int bar) const = 0;
  /// Returns the text of the bar that the keyboard selects; empty where the keyboard selects none.
  virtual QString currentText() const { return {}; }
  /// Returns the place of the bar in the widget.
  virtual QRect barRect(int bar) const = 0;
};

/// Registers the interface for the widgets that implement AccessibleBars: a list of bars.
void installAccessibleBars();

/// One bar.
class BarAccessible : public QAccessibleInterface {
public:
  BarAccessible(QWidget* widget, int bar) : m_widget(widget), m_bar(bar) {}
  bool isValid() const override;
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override;
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override;
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override;
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override;
  int bar() const { return m_bar; }

private:
  const AccessibleBars* bars() const { return dynamic_cast<const AccessibleBars*>(m_widget.data()); }

  QPointer<QWidget> m_widget;
  int m_bar;
};

/// A picture of bars.
class BarsAccessible : public QAccessibleWidget {
public:
  explicit BarsAccessible(QWidget* widget) : QAccessibleWidget(widget, QAccessible::List) {}
  ~BarsAccessible() override;
  QString text(QAccessible::Text kind) const override;
  int childCount() const override;
  QAccessibleInterface* child(int index) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  int indexOfChild(const QAccessibleInterface* child) const override;

private:
  /// Bars above this number are not offered one by one.
  static constexpr int kMost = 10'000;
  const AccessibleBars& bars() const { return dynamic_cast<const AccessibleBars&>(*widget()); }

  mutable std::vector<QAccessible::Id> m_children; ///< 0: not yet requested
};

} // namespace blobscope::ui
