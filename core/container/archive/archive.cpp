#include "core/container/archive/archive.h"

#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/number_at.h"

// The only use of libarchive.
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <new>

/// Libarchive's table of writers refers to this one. It is never used here, and it is the only one that needs libxml2
/// and ICU, with which a statically linked program takes twice as long to start.
extern "C" int archive_write_set_format_xar(struct archive*) { return ARCHIVE_FATAL; }

namespace blobscope::container {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b", kZstd = "\x28\xb5\x2f\xfd", kZip("PK\x03\x04", 4),
                           kEmptyZip("PK\x05\x06", 4),
                           kXz("\xfd"
                               "7zXZ\0",
                               6);
/// Name of the content of a compressed file that is not an archive.
constexpr std::string_view kRawName = "data";

/// Characters of a name in a message.
constexpr std::size_t kShownName = 200;

struct Free {
  void operator()(archive* opened) const { archive_read_free(opened); }
};

/// Files that macOS adds for each file of a tar: resource forks, not objects. Magic: AppleDouble header, RFC 1740.
bool isAppleDouble(std::string_view path, std::string_view bytes) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return name.starts_with("._") && bytes.starts_with(std::string_view("\x00\x05\x16\x07", 4));
}

/// The filter for the compression that the first bytes indicate. Libarchive would otherwise stack filters, 25 deep: 154
/// bytes took 14 s (measured).
int filterOf(std::string_view head) {
  if (head.starts_with(kGzip)) return ARCHIVE_FILTER_GZIP;
  if (head.starts_with(kZstd)) return ARCHIVE_FILTER_ZSTD;
  // A tar's first member may have a name that begins with these three letters.
  if (head.starts_with("BZh") && (head.substr(4, 6) == "1AY&SY" || head.substr(4, 6) == "\x17\x72\x45\x38\x50\x90"))
    return ARCHIVE_FILTER_BZIP2;
  if (head.starts_with(kXz)) return ARCHIVE_FILTER_XZ;
  return ARCHIVE_FILTER_NONE;
}

/// What libarchive reports, for the end of a message: " (Truncated gzip input)".
std::string reasonOf(archive* opened) {
  const char* const text = opened ? archive_error_string(opened) : "memory ran out";
  return text ? " (" + std::string(text) + ")" : "; it ends too early";
}

/// Passes a compressed file to libarchive in steps, so that a cancel is noticed while unpacking returns no bytes.
class Feed {
public:
  Feed(const Bytes& file, Monitor& monitor) : m_file(file), m_monitor(monitor) {}

  /// Opens the file for `opened`, whose formats are set. Returns false on failure; archive_error_string() has the
  /// reason.
  bool open(archive* opened) {
    const int filter = filterOf(m_file.view());
    if (filter == ARCHIVE_FILTER_NONE)
      return archive_read_open_memory(opened, m_file.data(), m_file.size()) == ARCHIVE_OK;
    return archive_read_append_filter(opened, filter) >= ARCHIVE_WARN &&
           archive_read_open(opened, this, nullptr, read, nullptr) == ARCHIVE_OK;
  }

private:
  static la_ssize_t read(archive* opened, void* self, const void** block) {
    constexpr uint64_t kStep = 1 << 20;
    auto& feed = *static_cast<Feed*>(self);
    if (feed.m_monitor.stopRequested()) {
      archive_set_error(opened, EINTR, "cancelled");
      return -1;
    }
    feed.m_monitor.progress("unpacking", feed.m_at, feed.m_file.size());
    const Bytes step = feed.m_file.slice(feed.m_at, kStep);
    feed.m_at += step.size();
    *block = step.data();
    return static_cast<la_ssize_t>(step.size());
  }

  const Bytes& m_file;
  Monitor& m_monitor;
  uint64_t m_at = 0;
};

class Unpacker {
public:
  Unpacker(const Bytes& file, const BudgetPtr& budget, Monitor& monitor)
      : m_file(file), m_budget(budget), m_monitor(monitor), m_feed(file, monitor), m_archive(archive_read_new()) {}

  Result<Image> read() {
    if (!m_archive) return failure("memory ran out");
    m_image.file = m_file;
    m_image.kind = Kind::Archive;
    m_image.charge = std::make_shared<Charge>(m_budget);
    archive_read_support_format_tar(m_archive.get());
    archive_read_support_format_gnutar(m_archive.get());
    archive_read_support_format_zip(m_archive.get());
    archive_read_support_format_raw(m_archive.get());
    if (!m_feed.open(m_archive.get())) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      return failure("the file cannot be unpacked" + reason());
    }
    while (true) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(m_archive.get(), &entry);
      if (status == ARCHIVE_EOF) break;
      if (status == ARCHIVE_RETRY) continue;
      if (status < ARCHIVE_WARN) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        if (m_image.members.empty()) return failure("the first member cannot be read" + reason());
        note(DiagnosticId::FileTable, {arg("table", "archive after member " + std::to_string(m_image.members.size())),
                                       arg("reason", "the next member cannot be read" + reason())});
        break;
      }
      if (m_image.members.empty()) reportFormat();
      if (m_image.members.size() >= limits::kMembers) {
        note(DiagnosticId::FileLimit,
             {arg("what", "members"), arg("count", m_image.members.size() + 1), arg("limit", limits::kMembers)});
        break;
      }
      BLOBSCOPE_TRY(more, member(entry));
      if (!more) break;
    }
    if (m_image.members.empty()) reportFormat();
    if (!m_image.compression.empty()) m_image.unpackedSize = unpackedSize();
    return std::move(m_image);
  }

private:
  std::string reason() const { return reasonOf(m_archive.get()); }
  /// The size without compression. Of a tar, libarchive reads no zeros after its end. Gzip states the size of all,
  /// modulo 2^32. Source: RFC 1952, 2.3.1.
  uint64_t unpackedSize() const {
    constexpr uint64_t kMostZeros = uint64_t{1} << 20; // tars end at a multiple of 10,240 bytes
    const uint64_t read = unpackedBytes();
    if (m_image.compression != "gzip" || m_file.size() < 18) return read;
    const uint64_t stated = numberAt<uint32_t>(m_file.view(), m_file.size() - 4);
    return stated >= read && stated - read <= kMostZeros ? stated : read;
  }
  /// The bytes that were read so far, without compression.
  uint64_t unpackedBytes() const {
    return static_cast<uint64_t>(std::max<la_int64_t>(archive_filter_bytes(m_archive.get(), 0), 0));
  }
  Error failure(const std::string& why) const {
    return Error(DiagnosticId::FileHeader, {arg("format", "archive"), arg("reason", why)});
  }
  void note(Diagnostic diagnostic) {
    if (m_image.diagnostics.size() < limits::kDiagnostics) m_image.diagnostics.push_back(std::move(diagnostic));
  }
  void note(DiagnosticId id, std::vector<Argument> arguments) { note({id, Ref::file(), std::move(arguments)}); }

  void reportFormat() {
    const int format = archive_format(m_archive.get()) & ARCHIVE_FORMAT_BASE_MASK;
    m_image.format = format == ARCHIVE_FORMAT_ZIP   ? Format::Zip
                     : format == ARCHIVE_FORMAT_RAW ? Format::Raw
                                                    : Format::Tar;
    const int filter = archive_filter_code(m_archive.get(), 0);
    if (filter == ARCHIVE_FILTER_GZIP) m_image.compression = "gzip";
    if (filter == ARCHIVE_FILTER_ZSTD) m_image.compression = "zstd";
  }

  /// Whether the bytes unpacked since the last call are within the budget for work: names and members that are skipped
  /// are unpacked as well. `otherWork`: work in addition to that.
  bool payWork(uint64_t otherWork = 0) {
    const uint64_t done = unpackedBytes();
    const uint64_t unpacked = m_image.compression.empty() ? 0 : done - std::min(done, m_worked);
    const uint64_t more = unpacked + otherWork;
    m_worked = std::max(done, m_worked);
    if (m_budget->takeWork(more)) return true;
    note(m_budget->workExceeded("of unpacked members and their headers", more));
    return false;
  }

  /// Returns false when no further member can be read.
  Result<bool> member(archive_entry* entry) {
    Member made;
    const char* const stored = archive_entry_pathname(entry);
    const std::string_view path = m_image.format == Format::Raw ? kRawName : stored ? stored : "";
    made.path = path.substr(0, limits::kMemberName);
    // Libarchive converts each name to wide characters, at some 12 ns a byte (measured, 300 names of 1 MB).
    constexpr uint64_t kNameWork = 16;
    if (!payWork(kNameWork * path.size())) return false;
    const uint64_t cost = sizeof(Member) + made.path.size();
    if (!m_image.charge->add(cost)) {
      note(m_budget->memoryExceeded("of members", cost));
      return false;
    }
    const auto type = archive_entry_filetype(entry);
    bool whole = true;
    if (made.path.size() < path.size()) {
      made.type = Member::Type::Other;
      made.note = std::string(kLongName);
      note(longMemberName(path));
    } else if (const char* const link =
                   archive_entry_symlink(entry) ? archive_entry_symlink(entry) : archive_entry_hardlink(entry)) {
      made.type = Member::Type::Link;
      made.note = "a link to '" + escapedWithin(link, kShownName) + "'";
    } else if (type == AE_IFDIR) {
      made.type = Member::Type::Folder;
    } else if (type != AE_IFREG && m_image.format != Format::Raw) {
      made.type = Member::Type::Other;
      made.note = "no file";
    } else {
      BLOBSCOPE_TRY(read, content(made));
      whole = read;
      if (isAppleDouble(made.path, made.bytes.view())) made.type = Member::Type::AppleDouble;
    }
    m_image.members.push_back(std::move(made));
    return whole;
  }

  /// The bytes of a member, block after block: a place in the file while all blocks are stored there unchanged and
  /// contiguously, else a copy.
  struct Content {
    explicit Content(const BudgetPtr& budget) : charge(budget) {}
    std::optional<Extent> stored; ///< in the file
    bool copied = false;
    uint64_t end = 0; ///< of the last block
    GrowingBuffer buffer;
    Charge charge;
  };
  struct Block {
    std::span<const std::byte> bytes;
    uint64_t offset = 0; ///< in the member
    uint64_t end() const { return offset + bytes.size(); }
  };

  /// The offset of a block in the file, nothing when it was unpacked.
  std::optional<uint64_t> placeOf(std::span<const std::byte> block) const {
    const std::byte *const begin = m_file.data(), *const end = begin + m_file.size();
    if (block.empty() || block.data() < begin || block.data() >= end ||
        block.size() > static_cast<std::size_t>(end - block.data()))
      return std::nullopt;
    return static_cast<uint64_t>(block.data() - begin);
  }

  /// Adds the content of the next block. Returns false, and reports it, when it exceeds the budget.
  Result<bool> addBlock(const Block& block, Content& content, const Member& made) {
    const auto place = placeOf(block.bytes);
    std::optional<Extent>& stored = content.stored;
    const bool follows = !content.copied && place &&
                         (stored ? *place == stored->end() && block.offset == stored->size : block.offset == 0);
    if (follows) {
      stored = stored ? Extent{stored->offset, stored->size + block.bytes.size()} : Extent{*place, block.bytes.size()};
      return true;
    }
    if (block.bytes.empty()) return true;
    // Holes of sparse files and repeated data count like stored bytes: zip bombs consist of them.
    const uint64_t grown = block.end() - std::min(block.end(), content.charge.bytes());
    if (!content.charge.add(grown)) {
      note(
          m_budget->memoryExceeded("of unpacked members, up to '" + escapedWithin(made.path, kShownName) + "'", grown));
      return false;
    }
    GrowingBuffer& buffer = content.buffer;
    if (!content.copied && stored && !buffer.append(m_file.span().subspan(stored->offset, stored->size)))
      return memoryError();
    content.copied = true;
    if (block.offset == buffer.size()) {
      if (!buffer.append(block.bytes)) return memoryError();
    } else {
      if (buffer.size() < block.end() && !buffer.resize(block.end())) return memoryError();
      std::copy(block.bytes.begin(), block.bytes.end(), buffer.data() + block.offset);
    }
    return true;
  }

  /// Reads the member's bytes. Returns false when no further member can be read.
  Result<bool> content(Member& made) {
    Content taken(m_budget);
    bool whole = true;
    while (true) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const void* data = nullptr;
      std::size_t length = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(m_archive.get(), &data, &length, &offset);
      if (status == ARCHIVE_EOF) break;
      if (status == ARCHIVE_RETRY) continue;
      if (status < ARCHIVE_WARN) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const std::string after = "its content cannot be unpacked after " + sizeText(taken.end) + reason();
        made.note = "truncated: " + after;
        note(DiagnosticId::FileTable,
             {arg("table", "member '" + escapedWithin(made.path, kShownName) + "'"), arg("reason", after)});
        whole = false;
        break;
      }
      const Block block{{static_cast<const std::byte*>(data), length},
                        static_cast<uint64_t>(std::max<la_int64_t>(offset, 0))};
      BLOBSCOPE_TRY(within, addBlock(block, taken, made));
      taken.end = std::max(taken.end, block.end());
      if (!within || !payWork()) {
        made.note = "truncated at the limit for unpacked bytes";
        whole = false;
        break;
      }
    }
    if (!taken.copied && taken.stored) {
      made.bytes = Bytes(m_file.owner(), m_file.slice(taken.stored->offset, taken.stored->size).span(), 0);
    } else {
      const auto source = ByteSource::fromBuffer(std::move(taken.buffer), std::move(taken.charge));
      made.bytes = Bytes(source, source->view(), 0);
    }
    return whole;
  }

  const Bytes& m_file;
  const BudgetPtr& m_budget;
  Monitor& m_monitor;
  Feed m_feed; ///< outlives the reader
  std::unique_ptr<archive, Free> m_archive;
  uint64_t m_worked = 0;
  Image m_image;
};

struct FreeWriter {
  void operator()(archive* opened) const { archive_write_free(opened); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

Error packError(std::string reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", "archive"), {"reason", std::move(reason)}});
}

la_ssize_t append(archive*, void* to, const void* bytes, std::size_t size) {
  try {
    auto& buffer = *static_cast<Buffer*>(to);
    const auto* const first = static_cast<const std::byte*>(bytes);
    buffer.insert(buffer.end(), first, first + size);
  } catch (const std::bad_alloc&) {
    return -1; // no exception may pass through the library
  }
  return static_cast<la_ssize_t>(size);
}

/// `content` passed through one of libarchive's filters.
Result<Buffer> pack(const Bytes& content, int filter, const char* level, Monitor& monitor) {
  constexpr uint64_t kStep = 1 << 20;
  Buffer buffer; // outlives the writer, which may write while it is freed
  const std::unique_ptr<archive, FreeWriter> writer(archive_write_new());
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  if (!writer || !entry) return packError("memory ran out");
  const auto failed = [&](int status) { return status < ARCHIVE_WARN; };
  const auto error = [&] { return packError("the content cannot be compressed" + reasonOf(writer.get())); };
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  if (failed(archive_write_add_filter(writer.get(), filter)) || failed(archive_write_set_format_raw(writer.get())))
    return error();
  // No current time, and no padding to the block of a tape.
  if (filter == ARCHIVE_FILTER_GZIP) archive_write_set_filter_option(writer.get(), nullptr, "timestamp", nullptr);
  if (level) archive_write_set_filter_option(writer.get(), nullptr, "compression-level", level);
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  if (failed(archive_write_open(writer.get(), &buffer, nullptr, append, nullptr)) ||
      failed(archive_write_header(writer.get(), entry.get())))
    return error();
  for (uint64_t at = 0; at < content.size();) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("compressing", at, content.size());
    const Bytes step = content.slice(at, kStep);
    const la_ssize_t written = archive_write_data(writer.get(), step.data(), step.size());
    if (written <= 0) return error();
    at += static_cast<uint64_t>(written);
  }
  if (failed(archive_write_close(writer.get()))) return error();
  return buffer;
}

Error unreadable(const std::filesystem::path& path, const std::error_code& why) {
  return Error(DiagnosticId::FileNotReadable, {{"path", shownPath(pathText(path))}, arg("reason", why.message())});
}
Error tooManyFiles(uint64_t count) {
  return Error(DiagnosticId::FileLimit, {arg("what", "files"), arg("count", count), arg("limit", limits::kMembers)});
}
Error tooDeep(unsigned depth) {
  return Error(DiagnosticId::FileLimit,
               {arg("what", "folders inside folders"), arg("count", depth), arg("limit", limits::kFolderDepth)});
}

/// Writes a folder as a tar.
class FolderPacker {
public:
  FolderPacker(uint64_t limit, Monitor& monitor) : m_limit(limit), m_monitor(monitor), m_writer(archive_write_new()) {}

  Result<Buffer> pack(const std::filesystem::path& folder) {
    if (!m_writer || archive_write_set_format_pax_restricted(m_writer.get()) < ARCHIVE_WARN) return error();
    archive_write_set_format_option(m_writer.get(), "pax", "hdrcharset", "BINARY"); // names are any bytes
    if (archive_write_open(m_writer.get(), &m_buffer, nullptr, append, nullptr) < ARCHIVE_WARN) return error();
    BLOBSCOPE_CHECK(add(folder, ".", 0));
    if (archive_write_close(m_writer.get()) < ARCHIVE_WARN) return error();
    m_writer.reset();
    return std::move(m_buffer);
  }

private:
  Error error() const { return packError("the folder cannot be packed as a tar" + reasonOf(m_writer.get())); }

  /// Adds an entry and, for a folder, its content. `name` is the path in the archive.
  Result<Done> add(const std::filesystem::path& path, const std::string& name, unsigned depth) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("reading the folder", m_read, 0);
    if (++m_members > limits::kMembers) return tooManyFiles(m_members);
    std::error_code why;
    const auto status = std::filesystem::symlink_status(path, why);
    if (why) return unreadable(path, why);
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    if (!entry) return error();
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_uname(entry.get(), "root");
    archive_entry_set_gname(entry.get(), "root");
    archive_entry_set_perm(entry.get(), static_cast<unsigned>(status.permissions()) & 07777);
    if (!std::filesystem::is_symlink(status))
      if (const auto changed = std::filesystem::last_write_time(path, why); !why)
        archive_entry_set_mtime(entry.get(),
                                std::chrono::duration_cast<std::chrono::seconds>(
                                    std::chrono::file_clock::to_sys(changed).time_since_epoch())
                                    .count(),
                                0);
    using Type = std::filesystem::file_type;
    switch (status.type()) {
    case Type::directory: return folder(path, name, *entry, depth);
    case Type::regular: return file(path, *entry);
    case Type::symlink: {
      const auto target = std::filesystem::read_symlink(path, why);
      if (why) return unreadable(path, why);
      archive_entry_set_filetype(entry.get(), AE_IFLNK);
      archive_entry_set_symlink(entry.get(), pathText(target).c_str());
      break;
    }
    case Type::block: archive_entry_set_filetype(entry.get(), AE_IFBLK); break;
    case Type::character: archive_entry_set_filetype(entry.get(), AE_IFCHR); break;
    default: archive_entry_set_filetype(entry.get(), AE_IFIFO); break; // sockets have no type in a tar
    }
    if (archive_write_header(m_writer.get(), entry.get()) < ARCHIVE_WARN) return error();
    return Done{};
  }

  Result<Done> folder(const std::filesystem::path& path, const std::string& name, archive_entry& entry,
                      unsigned depth) {
    if (depth > limits::kFolderDepth) return tooDeep(depth);
    archive_entry_set_filetype(&entry, AE_IFDIR);
    if (archive_write_header(m_writer.get(), &entry) < ARCHIVE_WARN) return error();
    std::vector<std::filesystem::path> inside;
    std::error_code why;
    for (std::filesystem::directory_iterator at(path, why), end; !why && at != end; at.increment(why)) {
      inside.push_back(at->path());
      if (inside.size() > limits::kMembers) return tooManyFiles(inside.size());
    }
    if (why) return unreadable(path, why);
    std::sort(inside.begin(), inside.end());
    for (const auto& child : inside) BLOBSCOPE_CHECK(add(child, name + "/" + pathText(child.filename()), depth + 1));
    return Done{};
  }

  Result<Done> file(const std::filesystem::path& path, archive_entry& entry) {
    auto source = ByteSource::openFile(path);
    if (!source && source.error().id() != DiagnosticId::FileEmpty) return source.takeError();
    const Bytes bytes = source ? ByteSource::all(*source) : Bytes();
    if (bytes.size() > m_limit - m_read)
      return Error(DiagnosticId::FileLimit, {{"count", sizeText(m_read + bytes.size())},
                                             {"what", "of files, up to '" + escaped(pathText(path)) + "'"},
                                             sizeArg("limit", m_limit)});
    m_read += bytes.size();
    archive_entry_set_filetype(&entry, AE_IFREG);
    archive_entry_set_size(&entry, static_cast<la_int64_t>(bytes.size()));
    if (archive_write_header(m_writer.get(), &entry) < ARCHIVE_WARN) return error();
    for (uint64_t at = 0; at < bytes.size();) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Bytes step = bytes.slice(at, 1 << 20);
      const la_ssize_t written = archive_write_data(m_writer.get(), step.data(), step.size());
      if (written <= 0) return error();
      at += static_cast<uint64_t>(written);
    }
    return Done{};
  }

  uint64_t m_limit;
  Monitor& m_monitor;
  Buffer m_buffer; ///< outlives the writer, which may write while it is freed
  std::unique_ptr<archive, FreeWriter> m_writer;
  uint64_t m_members = 0, m_read = 0;
};

} // namespace

bool looksLikeArchive(std::string_view head) {
  return head.starts_with(kGzip) || head.starts_with(kZstd) || head.starts_with(kZip) || head.starts_with(kEmptyZip) ||
         (head.size() >= 262 && head.substr(257, 5) == "ustar");
}

Result<Image> readArchive(const Bytes& file, const BudgetPtr& budget, Monitor& monitor) {
  return Unpacker(file, budget, monitor).read();
}

Result<std::vector<std::string>> listFolder(const std::filesystem::path& folder, Monitor& monitor) {
  std::vector<std::string> files;
  uint64_t members = 1; // the folder itself
  std::error_code why;
  std::filesystem::recursive_directory_iterator at(folder, why);
  for (const std::filesystem::recursive_directory_iterator end; !why && at != end; at.increment(why)) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("listing the folder", members, 0);
    if (++members > limits::kMembers) return tooManyFiles(members);
    const auto status = at->symlink_status(why);
    if (why) return unreadable(at->path(), why);
    const auto depth = static_cast<unsigned>(at.depth()) + 1;
    if (std::filesystem::is_directory(status) && depth > limits::kFolderDepth) return tooDeep(depth);
    if (std::filesystem::is_regular_file(status)) files.push_back(portableText(at->path().lexically_relative(folder)));
  }
  if (why) return unreadable(folder, why);
  return files;
}

Result<Buffer> packFolder(const std::filesystem::path& folder, uint64_t limit, Monitor& monitor) {
  return FolderPacker(limit, monitor).pack(folder);
}

Result<Unpacked> unpackAvailable(const Bytes& file, uint64_t limit, const BudgetPtr& budget, Monitor& monitor) {
  Feed feed(file, monitor);
  const std::unique_ptr<archive, Free> opened(archive_read_new());
  archive_entry* entry = nullptr;
  if (!opened) return packError("memory ran out");
  archive_read_support_format_raw(opened.get());
  if (!feed.open(opened.get()) || archive_read_next_header(opened.get(), &entry) < ARCHIVE_WARN) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return packError("the file cannot be unpacked" + reasonOf(opened.get()));
  }
  GrowingBuffer buffer;
  Charge charge(budget);
  Unpacked unpacked;
  while (true) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const void* block = nullptr;
    std::size_t length = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(opened.get(), &block, &length, &offset);
    if (status == ARCHIVE_EOF) break;
    if (status == ARCHIVE_RETRY) continue;
    if (status < ARCHIVE_WARN) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      unpacked.damage = "unpacking ends after " + sizeText(buffer.size()) + reasonOf(opened.get());
      break;
    }
    if (length > limit - std::min<uint64_t>(limit, buffer.size()))
      return Error(
          DiagnosticId::FileLimit,
          {{"count", sizeText(buffer.size() + length)}, arg("what", "of unpacked bytes"), sizeArg("limit", limit)});
    if (!charge.add(length)) {
      const Diagnostic over = budget->memoryExceeded("of unpacked bytes", length);
      return Error(over.id, over.arguments);
    }
    if (!buffer.append({static_cast<const std::byte*>(block), length})) return memoryError();
  }
  unpacked.bytes = ByteSource::all(ByteSource::fromBuffer(std::move(buffer), std::move(charge)));
  return unpacked;
}

Result<Bytes> unpackStream(const Bytes& file, uint64_t limit, Monitor& monitor) {
  BLOBSCOPE_TRY(unpacked, unpackAvailable(file, limit, std::make_shared<Budget>(limit, limit), monitor));
  if (!unpacked.damage.empty()) return packError(std::move(unpacked.damage));
  return std::move(unpacked.bytes);
}

Result<Bytes> packDeflate(const Bytes& content, int level, Monitor& monitor) {
  // libarchive writes gzip: ten bytes of header, as no name is given, and eight of checksum and size (RFC 1952).
  constexpr std::size_t kHead = 10, kTail = 8;
  BLOBSCOPE_TRY(buffer, pack(content, ARCHIVE_FILTER_GZIP, std::to_string(level).c_str(), monitor));
  if (buffer.size() < kHead + kTail || buffer[3] != std::byte{0}) return packError("gzip has an unknown header");
  const uint64_t size = buffer.size() - kHead - kTail;
  return ByteSource::all(ByteSource::fromBuffer(std::move(buffer))).slice(kHead, size);
}

Result<Bytes> packZstd(const Bytes& content, Monitor& monitor) {
  BLOBSCOPE_TRY(buffer, pack(content, ARCHIVE_FILTER_ZSTD, nullptr, monitor));
  return ByteSource::all(ByteSource::fromBuffer(std::move(buffer)));
}

} // namespace blobscope::container
