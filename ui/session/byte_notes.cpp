#include "ui/session/byte_notes.h"

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/ref.h"
#include "ui/text/plain_text.h"

#include <QDate>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <mutex>

namespace blobscope::ui {
namespace {

constexpr std::string_view kNotesSchema = "blobscope.notes/1";
constexpr uint64_t kMostBytes = uint64_t{8} << 20; ///< of a stored file

Error refusal(std::string reason) { return Error(DiagnosticId::EditList, {{"reason", std::move(reason)}}); }

QString pathOf(const std::string& sha256) {
  return ByteNotes::folder() + QLatin1Char('/') + toQt(sha256) + QLatin1String(".json");
}

std::filesystem::path nativePath(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }

/// Removes the files that were not used for the longest time, if there are too many.
void removeOldest() {
  const QFileInfoList files =
      QDir(ByteNotes::folder()).entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
  for (qsizetype i = static_cast<qsizetype>(ByteNotes::kMostFiles); i < files.size(); ++i)
    QFile::remove(files[i].filePath());
}

} // namespace

Ref ByteNote::place() const {
  Ref ref = Ref::bytesAt(bytes.offset, bytes.size);
  ref.members = members;
  return ref;
}

bool ByteNote::isWhere(const ByteNote& other) const {
  return isNote == other.isNote && members == other.members && bytes.offset == other.bytes.offset;
}

struct ByteNotes::Shared {
  std::mutex lock;
  uint64_t turn = 0;  ///< of the latest request; jobs of earlier requests write nothing
  std::string sha256; ///< of the opened file, when it is known
};

ByteNotes::ByteNotes(Jobs& jobs, QObject* parent) : QObject(parent), m_jobs(jobs) {}

QString ByteNotes::folder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QLatin1String("/notes");
}

std::string ByteNotes::toJson(const std::string& sha256, const std::vector<ByteNote>& notes) {
  std::string out;
  json::Writer writer([&](std::string_view text) { out += text; });
  writer.beginObject();
  writer.member("schema", kNotesSchema);
  writer.key("file").beginObject();
  writer.member("sha256", sha256);
  writer.endObject();
  for (const bool isNote : {false, true}) {
    writer.key(isNote ? "notes" : "bookmarks").beginArray();
    for (const ByteNote& note : notes) {
      if (note.isNote != isNote) continue;
      writer.beginObject();
      writer.member("ref", note.place().toString());
      writer.member("text", fromQt(note.text));
      if (note.digit > 0) writer.member("key", static_cast<uint64_t>(note.digit));
      writer.member("date", fromQt(note.date));
      writer.endObject();
    }
    writer.endArray();
  }
  writer.endObject();
  writer.finish();
  return out;
}

Result<std::vector<ByteNote>> ByteNotes::fromJson(const Bytes& text) {
  BLOBSCOPE_TRY(document, json::parse(text));
  const json::Value* const schema = document.find("schema");
  if (!schema || !schema->string() || *schema->string() != kNotesSchema) return refusal("it has another \"schema\"");
  std::vector<ByteNote> out;
  for (const bool isNote : {false, true}) {
    const json::Value* const list = document.find(isNote ? "notes" : "bookmarks");
    if (!list || !list->array()) continue;
    for (const json::Value& item : *list->array()) {
      const auto textIn = [&](std::string_view member) {
        const json::Value* const value = item.find(member);
        return value && value->string() ? *value->string() : std::string();
      };
      const auto ref = Ref::parse(textIn("ref"));
      // What is not readable is left out, so that it does not hide the rest.
      if (!ref || !ref->at || ref->kind != Ref::Kind::File || out.size() == kMost) continue;
      ByteNote note;
      note.members = ref->members;
      note.bytes = {*ref->at, std::max<uint64_t>(ref->size.value_or(1), 1)};
      note.isNote = isNote;
      note.text = wholeToQt(textIn("text")).left(ByteNote::kTextLength);
      note.date = wholeToQt(textIn("date")).left(10);
      if (const json::Value* const key = item.find("key"))
        if (const auto* const digit = std::get_if<uint64_t>(&key->data); digit && *digit <= 9)
          note.digit = static_cast<int>(*digit);
      out.push_back(std::move(note));
    }
  }
  return out;
}

void ByteNotes::setFile(const library::PackagePtr& opened, bool keep) {
  m_opened = opened;
  m_shared = std::make_shared<Shared>();
  std::vector<ByteNote> kept = keep ? m_notes : std::vector<ByteNote>();
  m_notes = kept;
  m_writing = m_changedAgain = false;
  m_reading = true;
  m_jobs.cancel(tag());
  using Read = std::optional<std::vector<ByteNote>>;
  m_jobs.start<Read>(
      tag(),
      [opened, shared = m_shared](Monitor& monitor) -> Result<Read> {
        // Without any notes there is nothing to find.
        if (!QFileInfo::exists(folder())) return Read();
        BLOBSCOPE_TRY(digest, computeSha256(opened->bytes, monitor));
        {
          const std::lock_guard guard(shared->lock);
          shared->sha256 = digest;
        }
        const QString path = pathOf(digest);
        if (!QFile::exists(path) || QFileInfo(path).size() > static_cast<qint64>(kMostBytes)) return Read();
        BLOBSCOPE_TRY(source, ByteSource::openFile(nativePath(path)));
        BLOBSCOPE_TRY(notes, fromJson(ByteSource::all(source)));
        QFile used(path); // for removeOldest()
        if (used.open(QIODevice::ReadWrite))
          used.setFileTime(QDateTime::currentDateTime(), QFileDevice::FileModificationTime);
        return Read(std::move(notes));
      },
      [this, shared = m_shared, kept](Result<Read> read) {
        if (shared != m_shared) return;
        m_reading = false;
        const bool added = m_notes != kept; // by the user, meanwhile
        if (read && *read) {
          std::vector<ByteNote> mine = std::exchange(m_notes, std::move(**read));
          if (added)
            for (ByteNote& note : mine) put(std::move(note));
        }
        sort();
        if (added || (!m_notes.empty() && !(read && *read))) write();
        Q_EMIT changed();
      });
  Q_EMIT changed();
}

std::vector<ByteNote> ByteNotes::of(const std::vector<std::string>& members) const {
  std::vector<ByteNote> out;
  std::ranges::copy_if(m_notes, std::back_inserter(out), [&](const ByteNote& one) { return one.members == members; });
  return out;
}

void ByteNotes::sort() {
  std::ranges::stable_sort(m_notes, [](const ByteNote& a, const ByteNote& b) {
    return std::tie(a.members, a.bytes.offset) < std::tie(b.members, b.bytes.offset);
  });
}

bool ByteNotes::put(ByteNote note) {
  note.text = note.text.left(ByteNote::kTextLength);
  if (note.date.isEmpty()) note.date = QDate::currentDate().toString(Qt::ISODate);
  std::erase_if(m_notes, [&](const ByteNote& other) {
    return other.isWhere(note) || (note.digit > 0 && other.digit == note.digit);
  });
  if (m_notes.size() >= kMost) return false;
  m_notes.push_back(std::move(note));
  sort();
  write();
  Q_EMIT changed();
  return true;
}

void ByteNotes::remove(const ByteNote& note) {
  if (std::erase_if(m_notes, [&](const ByteNote& other) { return other.isWhere(note); }) == 0) return;
  write();
  Q_EMIT changed();
}

void ByteNotes::write() {
  if (!m_shared || m_reading) return; // reading writes afterwards
  {
    const std::lock_guard guard(m_shared->lock);
    ++m_shared->turn;
  }
  m_changedAgain = m_writing;
  if (m_writing) return;
  m_writing = true;
  m_jobs.start<Done>(
      tag(),
      [opened = m_opened, shared = m_shared, turn = m_shared->turn, notes = m_notes](Monitor& monitor) -> Result<Done> {
        std::string sha256;
        {
          const std::lock_guard guard(shared->lock);
          sha256 = shared->sha256;
        }
        if (sha256.empty()) {
          BLOBSCOPE_TRY(digest, computeSha256(opened->bytes, monitor));
          sha256 = digest;
        }
        const QString path = pathOf(sha256);
        const std::lock_guard guard(shared->lock);
        shared->sha256 = sha256;
        if (shared->turn != turn) return Done{};
        if (notes.empty()) {
          QFile::remove(path);
          return Done{};
        }
        QDir().mkpath(folder());
        NullMonitor whole; // also while the window closes
        BLOBSCOPE_CHECK(writeFile(nativePath(path), {}, Bytes::copyOf(toJson(sha256, notes)), whole));
        removeOldest();
        return Done{};
      },
      [this, shared = m_shared](Result<Done>) {
        if (shared != m_shared) return;
        m_writing = false;
        if (m_changedAgain) write();
      });
}

} // namespace blobscope::ui
