#pragma once

#include "core/base/extent.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "ui/session/jobs.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::ui {

/// A bookmark or a note of the user about bytes of a file.
struct ByteNote {
  std::vector<std::string> members; ///< names of the members around the bytes, outermost first
  Extent bytes;                     ///< offsets from the start of the (member) file as opened
  int digit = 0;                    ///< of a bookmark with a key, 1 to 9; else 0
  bool isNote = false;              ///< a text instead of a bookmark
  QString text;                     ///< the name of the bookmark, or the note; at most kTextLength characters
  QString date;                     ///< "2026-11-23": when it was last changed
  friend bool operator==(const ByteNote&, const ByteNote&) = default;
  /// The bytes as a node of the file.
  Ref place() const;
  /// Whether both are of the same kind at the same byte.
  bool isWhere(const ByteNote& other) const;

  static constexpr int kTextLength = 4'000;
};

/// The user's bookmarks and notes about the bytes of the opened file. They are kept on disk by the digest of the file's
/// content, so that a renamed or copied file has them, in one file for each digest; the files of the contents that were
/// not opened for the longest time are removed when there are too many. Nothing is read or written on the GUI thread.
class ByteNotes : public QObject {
  Q_OBJECT
public:
  explicit ByteNotes(Jobs& jobs, QObject* parent = nullptr);

  /// Sets the file; changed() follows when its notes are read. `keep`: the new content is the saved state of the old
  /// one, so it gets its notes if it has none.
  void setFile(const library::PackagePtr& opened, bool keep = false);
  /// Returns all of them by member and offset.
  const std::vector<ByteNote>& all() const { return m_notes; }
  /// Returns those of a (member) file.
  std::vector<ByteNote> of(const std::vector<std::string>& members) const;
  /// Adds a bookmark or note, or replaces the one of the same kind at the same offset, and the bookmark with the same
  /// key. Returns false when there are kMost already.
  bool put(ByteNote note);
  void remove(const ByteNote& note);

  static constexpr std::size_t kMost = 1'000;      ///< bookmarks and notes of a file
  static constexpr std::size_t kMostFiles = 2'000; ///< contents with notes
  /// Returns the folder with the files.
  static QString folder();
  static QString tag() { return QStringLiteral("notes"); }

  /// The stored form, and what it is read from. Error: when the text has another form, with the reason.
  static std::string toJson(const std::string& sha256, const std::vector<ByteNote>& notes);
  static Result<std::vector<ByteNote>> fromJson(const Bytes& text);

Q_SIGNALS:
  void changed();

private:
  struct Shared;
  void write();
  void sort();

  Jobs& m_jobs;
  library::PackagePtr m_opened;
  std::shared_ptr<Shared> m_shared; ///< shared with the jobs of this file
  std::vector<ByteNote> m_notes;
  bool m_reading = false;
  bool m_writing = false, m_changedAgain = false;
};

} // namespace blobscope::ui
