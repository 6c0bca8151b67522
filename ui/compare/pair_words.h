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

/// What is known of the words of two texts: their kinds, and which of them differ. Only lines that somebody asks for
/// are looked at; what takes long is found between events or beside the window, and changed() follows.
class PairWords : public QObject {
  Q_OBJECT
public:
  explicit PairWords(QObject* parent = nullptr);

  void setText(TextPairPtr text);
  /// The words of a line, as good as they are known.
  const std::vector<syntax::Token>& tokens(Side side, uint64_t line);
  /// What differs in a pair of lines; null while it is not known.
  const diff::WordMarks* marks(uint64_t lineA, uint64_t lineB);
  /// Begins to find what was asked for and is not known yet.
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
    std::optional<uint64_t> guessed; ///< a line whose state is not known yet
  };
  const syntax::LineIndex& index(Side side) const { return side == Side::A ? *m_text->indexA : *m_text->indexB; }

  TextPairPtr m_text;
  const syntax::Language* m_language;
  SideWords m_sides[2];
  QBasicTimer m_work;
  std::map<LinePair, diff::WordMarks> m_marks;
  std::set<LinePair> m_wanted; ///< marks that were asked for
  QFutureWatcher<Found> m_finding;
};

} // namespace blobscope::ui
