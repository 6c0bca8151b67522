#pragma once

#include "ui/session/text_pair.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace blobscope::ui {

/// The rows in which two texts are shown beside one another: lines of both sides, and rows that stand for folded equal
/// lines. Costs nothing per line: a row is found by halving.
class PairLines {
public:
  static constexpr uint64_t kNone = UINT64_MAX;
  /// Equal lines that stay around a change, and how few are not folded away.
  static constexpr uint64_t kContext = 5, kLeast = 4;

  struct Row {
    diff::HunkKind kind = diff::HunkKind::Equal;
    uint64_t a = kNone, b = kNone; ///< lines, counted from 0; kNone where a side has none
    uint64_t folds = 0;            ///< a row that stands above or for that many equal lines, 0 for a line
    bool open = false;             ///< of a row that folds: the lines are shown below it
    std::size_t part = 0;
  };

  void setText(TextPairPtr text);
  const TextPairPtr& text() const { return m_text; }
  /// Whether equal lines far from changes are folded; texts without a change never are.
  void setFolding(bool folding);
  bool isFolding() const { return m_folding; }
  /// Shows or hides the lines of a row that folds.
  void toggle(std::size_t part);

  uint64_t rowCount() const { return m_first.empty() ? 0 : m_first.back(); }
  Row row(uint64_t number) const;
  /// The row that shows the line of A or of B, or folds it.
  uint64_t rowOfLine(bool sideB, uint64_t line) const;

  /// Changes: neighbouring rows that are not equal.
  std::size_t changeCount() const { return m_changes.size(); }
  uint64_t changeRow(std::size_t change) const { return m_first[m_changes[change]]; }
  /// Rows of the change.
  uint64_t changeSize(std::size_t change) const;
  diff::HunkKind changeKind(std::size_t change) const;
  /// The last change that begins at or before the row; nothing before the first one.
  std::optional<std::size_t> changeAt(uint64_t row) const;
  uint64_t lineCount(bool sideB) const;

private:
  struct Part {
    LineRun run;
    bool folds = false, open = false;
  };
  void addPart(const LineRun& run, bool folds);
  void number();
  uint64_t rowsOf(const Part& part) const {
    return !part.folds || !m_folding ? part.run.count : part.open ? part.run.count + 1 : 1;
  }
  std::size_t partAt(uint64_t row) const;

  TextPairPtr m_text;
  bool m_folding = true;
  std::vector<Part> m_parts;
  std::vector<uint64_t> m_first;      ///< row of each part, and how many there are
  std::vector<std::size_t> m_changes; ///< first part of each
};

/// A line as it is wrapped: where each row of it begins and ends.
struct WrappedLine {
  struct Piece {
    uint64_t from = 0, to = 0; ///< bytes of the line
    uint64_t column = 0;       ///< of the first character
  };
  std::vector<Piece> pieces; ///< at least one
  uint64_t rest = 0;         ///< characters behind the last piece
};

/// Cells by which rows behind the first are set in.
constexpr uint64_t kHangingCells = 6;
/// Cuts the line into rows of at most `columns` cells, behind blanks and between words where that is possible. At most
/// `most` rows are made; no more of the line is looked at than they hold.
WrappedLine wrapLine(std::string_view line, uint64_t columns, std::size_t most);

} // namespace blobscope::ui
