#pragma once

#include "ui/session/text_pair.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace blobscope::ui {

/// The rows in which two texts are shown side by side: lines of both sides, and rows that represent folded equal lines.
/// Needs no memory per line: a row is found by binary search.
class PairLines {
public:
  static constexpr uint64_t kNone = UINT64_MAX;
  /// Number of equal lines kept around a change, and the smallest number of lines that is folded.
  static constexpr uint64_t kContext = 5, kMinimumFold = 4;

  struct Row {
    diff::HunkKind kind = diff::HunkKind::Equal;
    uint64_t a = kNone, b = kNone; ///< lines, counted from 0; kNone where a side has no line
    uint64_t folds = 0;            ///< number of equal lines that a fold row represents or introduces, 0 for a line
    bool open = false;             ///< for fold rows: the lines are shown below it
    std::size_t part = 0;
  };

  void setText(TextPairPtr text);
  const TextPairPtr& text() const { return m_text; }
  /// Whether equal lines far from changes are folded; texts without a change are never folded.
  void setFolding(bool folding);
  bool isFolding() const { return m_folding; }
  /// Shows or hides the lines of a fold row.
  void toggle(std::size_t part);

  uint64_t rowCount() const { return m_first.empty() ? 0 : m_first.back(); }
  Row row(uint64_t number) const;
  /// Returns the row that shows the line of A or of B, or folds it.
  uint64_t rowOfLine(bool sideB, uint64_t line) const;

  /// Number of changes; a change is a run of rows that are not equal.
  std::size_t changeCount() const { return m_changes.size(); }
  uint64_t changeRow(std::size_t change) const { return m_first[m_changes[change]]; }
  /// Number of rows of the change.
  uint64_t changeSize(std::size_t change) const;
  diff::HunkKind changeKind(std::size_t change) const;
  /// Returns the last change that begins at or before the row; nullopt before the first one.
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
  std::vector<uint64_t> m_first;      ///< row of each part, and the total number of rows
  std::vector<std::size_t> m_changes; ///< first part of each change
};

/// A wrapped line: where each row of it begins and ends.
struct WrappedLine {
  struct Piece {
    uint64_t from = 0, to = 0; ///< range of bytes in the line
    uint64_t column = 0;       ///< of the first character
  };
  std::vector<Piece> pieces; ///< at least one
  uint64_t rest = 0;         ///< characters after the last piece
};

/// Indentation, in cells, of the rows after the first.
constexpr uint64_t kHangingCells = 6;
/// Breaks the line into rows of at most `columns` cells, after spaces and between words if possible. Makes at most
/// `maxPieces` rows and reads no more of the line than fits into them.
WrappedLine wrapLine(std::string_view line, uint64_t columns, std::size_t maxPieces);

} // namespace blobscope::ui
