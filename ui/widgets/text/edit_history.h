#pragma once

#include "core/base/extent.h"

#include <QElapsedTimer>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace blobscope::ui {

/// One change of a text: the bytes `removed` at `offset` were replaced with `inserted`.
struct TextChange {
  uint64_t offset = 0;
  std::string removed, inserted;
};

/// The changes of a text since it was opened in an editor, as undo steps. Typed characters are merged into one step per
/// word, deleted ones into one step per pause.
class EditHistory {
public:
  enum class Kind {
    Typed,   ///< one character or more at the cursor
    Deleted, ///< by Backspace or Delete
    Other    ///< always a separate step
  };
  /// Where the cursor and the start of the selection were.
  struct Place {
    uint64_t cursor = 0, anchor = 0;
  };

  /// The change was made; `before` is the place that undo restores. The undone steps are dropped, and the oldest ones
  /// when the history exceeds 64 MiB.
  void add(Kind kind, TextChange change, Place before);
  /// The next change starts another step: the cursor was moved.
  void endStep() { m_open = false; }
  bool canUndo() const { return m_done > 0; }
  bool canRedo() const { return m_done < m_steps.size(); }

  struct Step {
    Kind kind;
    TextChange change;
    Place before;
  };
  /// Returns the step to undo or redo; null if there is none. Valid until the next call.
  const Step* undo();
  const Step* redo();
  void clear();

private:
  bool merge(Kind kind, const TextChange& change);

  std::deque<Step> m_steps;
  std::size_t m_done = 0; ///< steps that are not undone
  uint64_t m_bytes = 0;   ///< of the texts of all steps
  bool m_open = false;    ///< the last step may grow
  QElapsedTimer m_last;   ///< since the last change
};

} // namespace blobscope::ui
