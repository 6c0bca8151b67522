#pragma once

#include "ui/widgets/find/find_search.h"

#include <QBasicTimer>
#include <QWidget>

#include <memory>

class QHBoxLayout;
class QLineEdit;
class QToolButton;

namespace blobscope::ui {

class FindTarget;
class Finder;
class PlainLabel;

/// Searches one view: pattern, count, previous, next, and search options. In lines of text: match case, whole word,
/// regular expression; in bytes: match case, bytes in hex. The search runs in another thread, and hits are shown as
/// they are found. Enter and Shift+Enter go to the next and previous hit; Escape cancels a running search, or else
/// closes the bar. If the text can be changed, the bar also replaces the current hit or all of them.
class FindBar : public QWidget {
  Q_OBJECT
public:
  /// `target` outlives the bar.
  explicit FindBar(FindTarget* target, QWidget* parent = nullptr);
  ~FindBar() override;

  /// Shows the bar and gives it the keyboard focus. `pattern` replaces the current pattern unless it is empty.
  void open(const QString& pattern = {});
  /// Does the same, with the field and the buttons that replace hits, if the target can.
  void openReplace();
  bool isReplacing() const;
  /// Hides the bar and removes the marks.
  void closeBar();
  /// Searches again, because the view shows something else.
  void restart();
  /// Searches again, because the text was edited. The cursor and the view stay where they are.
  void refresh();
  void findNext() { step(1); }
  void findPrevious() { step(-1); }
  /// Replaces the current hit and goes to the next one.
  void replaceCurrent();
  /// Replaces all hits that were found, in one step.
  void replaceAll();
  void setReplacement(const QString& text);
  /// Goes to the next or previous hit, or opens the bar if there is no pattern.
  void continueSearch(bool backwards);

  /// Returns the text on the bar: "1 of 11", "No matches".
  QString status() const;
  bool isSearching() const;
  std::size_t hitCount() const;
  FindQuery query() const;
  void setQuery(const FindQuery& query);

Q_SIGNALS:
  void closed();
  /// The search stopped at the limit, or skipped lines; the sentence says so. An empty sentence: that search is over.
  void limited(const QString& sentence);

protected:
  void keyPressEvent(QKeyEvent* event) override;
  QSize minimumSizeHint() const override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void timerEvent(QTimerEvent* event) override;

private:
  QToolButton* addButton(const QString& iconName, const QString& text, const QString& name);
  void makeReplaceBox();
  /// Places what replaces hits next to the search, or below it if the bar is narrow.
  void arrange();
  /// Returns whether the replacement can be used; if not, shows why.
  bool checkReplacement();
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
  QWidget *m_searchBox, *m_replaceBox = nullptr;
  QLineEdit* m_with = nullptr;
  QToolButton *m_replaceOne = nullptr, *m_replaceAll = nullptr;
  bool m_keepsPlace = false; ///< the running search does not move the cursor
  std::shared_ptr<FindHits> m_hits;
  std::optional<std::size_t> m_current;
  uint64_t m_origin = 0; ///< offset from which the first displayed hit is searched
  FindEnd m_end;
  bool m_limited = false; ///< the last sentence of limited() still applies
  QString m_error;
  QBasicTimer m_slow;     ///< expires when a search has taken long enough to show its progress
  double m_progress = -1; ///< share of the bytes searched; negative when it is not shown
};

} // namespace blobscope::ui
