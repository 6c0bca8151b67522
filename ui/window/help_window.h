#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace blobscope::ui {

/// The help pages: a list of topics, which can be searched, and the selected page. Not modal; one for all windows.
class HelpWindow : public QDialog {
  Q_OBJECT
public:
  explicit HelpWindow(QWidget* parent = nullptr);
  /// Shows the page of the topic, or the index for an unknown one, and raises the window. The id of a rule is a topic,
  /// too: its paragraph is shown.
  void showTopic(const QString& topic);
  QString topic() const { return m_topic; }
  const QTextBrowser& browser() const { return *m_browser; }

  /// Returns the topic of a widget: its "helpTopic" property or that of the nearest ancestor that has one.
  static QString topicOf(const QWidget* widget);

protected:
  void changeEvent(QEvent* event) override;

private:
  void load(const QString& topic);
  /// Hides the topics whose page does not contain all words of the text.
  void search(const QString& text);
  /// Shows the first topic that the search found.
  void openFound();
  void goBack();
  void select(const QString& topic);
  /// Scrolls to the paragraph of the rule and marks its id.
  void goToRule(const QString& id);

  QLineEdit* m_search;
  QToolButton* m_back;
  QListWidget* m_list;
  QTextBrowser* m_browser;
  QString m_topic;
  QStringList m_visited; ///< the topics before the current one
};

} // namespace blobscope::ui
