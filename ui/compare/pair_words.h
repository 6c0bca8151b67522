#pragma once

#include "core/diff/words.h"
#include "core/syntax/line_states.h"
#include "ui/session/comparison.h"

#include <QBasicTimer>
#include <QFutureWatcher>
#include <QObject>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace blobscope::ui {

/// The words of two texts: their token kinds, and which of them differ. Only requested lines are processed; long work
/// is done between events or in another thread, and changed() follows.
class PairWords : public QObject {
  Q_OBJECT
public:
  explicit PairWords(QObject* parent = nullptr);

  void setText(TextPairPtr text);
  /// Returns the tokens of a line, as far as they are known.
  const std::vector<syntax::Token>& tokens(Side side, uint64_t line);
  /// Returns the differences in a pair of lines; null until they are known.
  const diff::WordMarks* marks(uint64_t lineA, uint64_t lineB);
  /// Starts to compute what was requested and is not known yet.
  void startWork();

Q_SIGNALS:
  void changed();

protected:
  void timerEvent(QTimerEvent* event) override;

private:
  using LinePair = std::pair<uint64_t, uint64_t>;
  using Found = std::vector<std::pair<LinePair, diff::WordMarks>>;
  struct SideWords {
    std::unique_ptr<syntax::LineStates> states;
    struct Line {
      syntax::LineState before, after;
      std::vector<syntax::Token> tokens;
    };
    std::map<uint64_t, Line> lines;
    std::optional<uint64_t> guessed; ///< a line whose lexer state is not known yet
  };
  const syntax::LineIndex& index(Side side) const { return side == Side::A ? *m_text->indexA : *m_text->indexB; }

  TextPairPtr m_text;
  const syntax::Language* m_language;
  SideWords m_sides[2];
  QBasicTimer m_work;
  std::map<LinePair, diff::WordMarks> m_marks;
  std::set<LinePair> m_wanted; ///< requested marks
  QFutureWatcher<Found> m_finding;
};

} // namespace blobscope::ui
