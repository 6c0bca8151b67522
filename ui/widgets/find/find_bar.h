#pragma once

#include "ui/widgets/find/find_search.h"

#include <QBasicTimer>
#include <QWidget>

#include <memory>

class QLineEdit;
class QToolButton;

namespace blobscope::ui {

class FindTarget;
class Finder;
class PlainLabel;

/// Finds in one view: edit, count, previous, next, and how to search. Over lines of text: match case, whole word,
/// regular expression; over bytes: match case, bytes in hex. The search runs beside the window and its hits come in as
/// they are found. Enter and Shift+Enter go on and back; Escape ends a search that runs, else closes the bar.
class FindBar : public QWidget {
  Q_OBJECT
public:
  /// `target` outlives the bar.
  explicit FindBar(FindTarget* target, QWidget* parent = nullptr);
  ~FindBar() override;

  /// Shows the bar with the keyboard in it. `pattern` replaces what is there unless it is empty.
  void open(const QString& pattern = {});
  /// Hides the bar and takes the marks away.
  void closeBar();
  /// Searches again, because the view shows something else.
  void restart();
  void findNext() { step(1); }
  void findPrevious() { step(-1); }
  /// Goes on, or opens the bar when there is nothing to go on with.
  void goOn(bool backwards);

  /// As the bar says it: "1 of 11", "No matches".
  QString status() const;
  bool isSearching() const;
  std::size_t hitCount() const;
  FindQuery query() const;
  void setQuery(const FindQuery& query);

Q_SIGNALS:
  void closed();
  /// Enough was found, or lines were left out; the sentence says it. An empty one: that search is over.
  void limited(const QString& sentence);

protected:
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void timerEvent(QTimerEvent* event) override;

private:
  QToolButton* addButton(const QString& iconName, const QString& text, const QString& name);
  QToolButton* addToggle(const QString& text, const QString& name);
  void begin();
  void take(const FindHits& hits);
  void end(const FindEnd& end);
  void step(int by);
  void show(std::size_t hit);
  void updateStatus();
  void showLimited(const QString& sentence);

  FindTarget* m_target;
  Finder* m_finder;
  QLineEdit* m_edit;
  PlainLabel* m_label;
  QToolButton *m_case, *m_word = nullptr, *m_regex = nullptr, *m_hex = nullptr;
  std::shared_ptr<FindHits> m_hits;
  std::optional<std::size_t> m_current;
  uint64_t m_origin = 0; ///< where the first hit shown is sought
  FindEnd m_end;
  bool m_limited = false; ///< the last sentence of limited() is still true
  QString m_error;
  QBasicTimer m_slow;     ///< runs out when a search takes long enough to show it
  double m_progress = -1; ///< share of the bytes searched; negative when it is not shown
};

} // namespace blobscope::ui
