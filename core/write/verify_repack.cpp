#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/open.h"
#include "core/write/repack.h"

#include <algorithm>
#include <cstring>

namespace blobscope::write {
namespace {

constexpr uint64_t kStep = 1 << 20;

class Verifier {
public:
  Verifier(const Repack& repack, const std::filesystem::path& path, WriteOptions::Verify verify, Monitor& monitor)
      : m_repack(repack), m_path(path), m_full(verify == WriteOptions::Verify::Full), m_monitor(monitor) {}

  Result<Done> run() {
    BLOBSCOPE_TRY(source, ByteSource::openFile(m_path));
    const Bytes output = ByteSource::all(source);
    BLOBSCOPE_CHECK(compareBytes(output));
    auto opened = library::open(source, pathText(m_path), m_monitor, {{}, m_repack.package->budget->memoryLimit(), {}});
    if (!opened)
      return opened.error().code() == ErrorCode::Cancelled ? opened.takeError()
                                                           : refuse("it cannot be opened: " + opened.error().message());
    return compareTrees(*opened);
  }

private:
  Error refuse(std::string reason) const {
    return Error(DiagnosticId::RepackVerify, {{"reason", std::move(reason)}, {"path", pathText(m_path)}});
  }

  // --- 1. The bytes must be those of the plan. ---

  Result<Done> compareBytes(const Bytes& output) {
    const Plan& plan = m_repack.plan;
    if (output.size() != plan.size())
      return refuse("it has " + sizeText(output.size()) + " instead of " + sizeText(plan.size()));
    m_total = output.size();
    uint64_t at = 0;
    for (const Part& part : plan.parts) {
      const Bytes written = output.slice(at, part.size());
      const bool input = part.from == Part::From::Input;
      const Bytes planned = input ? m_repack.package->bytes.slice(part.input.offset, part.input.size) : part.bytes;
      BLOBSCOPE_CHECK(part.from == Part::From::Zeros ? compareZeros(written, at)
                                                     : compare(written, planned, at, m_full || !input));
      at += part.size();
    }
    return Done{};
  }

  Result<Done> compare(const Bytes& written, const Bytes& planned, uint64_t place, bool every) {
    // A sample of 64 KiB in 8 MiB finds a lost or shifted range, the usual result of a copy error.
    constexpr uint64_t kSample = 64 << 10, kSampledStep = 8 << 20;
    for (uint64_t at = 0; at < written.size();) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("comparing the written file", place + at, m_total);
      const uint64_t size = std::min(every ? kStep : kSample, written.size() - at);
      if (std::memcmp(written.data() + at, planned.data() + at, size) != 0) {
        const auto differs = std::mismatch(written.data() + at, written.data() + at + size, planned.data() + at);
        return refuse("the byte at " + hexText(place + static_cast<uint64_t>(differs.first - written.data())) +
                      " differs");
      }
      const bool last = at + size >= written.size();
      if (every || last || written.size() <= 2 * kSampledStep)
        at += size;
      else
        at = std::min(at + kSampledStep, written.size() - kSample);
    }
    return Done{};
  }

  Result<Done> compareZeros(const Bytes& written, uint64_t place) {
    for (uint64_t at = 0; at < written.size(); at += kStep) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("comparing the written file", place + at, m_total);
      const Bytes part = written.slice(at, kStep);
      if (part.view().find_first_not_of('\0') != std::string_view::npos)
        return refuse("there are no zeros at " + hexText(place + at));
    }
    return Done{};
  }

  // --- 2. The opened file must have the edited tree, and everything else unchanged. ---

  Result<Done> compareTrees(const library::PackagePtr& opened) {
    const auto count = [](const library::PackagePtr& package) {
      std::size_t containers = 0;
      library::forEachPackage(package, [&](const library::PackagePtr&) { ++containers; });
      return containers;
    };
    const std::size_t before = count(m_repack.package), after = count(opened);
    if (m_repack.applied.archives.empty() && before != after)
      return refuse("it has " + std::to_string(after) + " containers instead of " + std::to_string(before));
    return comparePackages(*m_repack.package, *opened);
  }

  Result<Done> comparePackages(const library::Package& before, const library::Package& after) {
    if (before.blobs.size() != after.blobs.size())
      return refuse("it has " + std::to_string(after.blobs.size()) + " blobs instead of " +
                    std::to_string(before.blobs.size()));
    bool edited = false;
    for (std::size_t blob = 0; blob < before.blobs.size(); ++blob) {
      const edit::EditedBlob* const wanted = findEdited(before.blobs[blob].get());
      edited = edited || wanted;
      BLOBSCOPE_CHECK(wanted ? compareEdited(*after.blobs[blob], *wanted)
                             : compareKept(*after.blobs[blob], *before.blobs[blob]));
    }
    if (edited) BLOBSCOPE_CHECK(compareSymbols(before.image, after.image));
    for (const edit::EditedParams& params : m_repack.applied.params)
      for (const edit::BytesRun& run : params.package.get() == &before ? params.runs : std::vector<edit::BytesRun>())
        if (!(after.bytes.slice(run.offset, run.bytes.size()) == run.bytes))
          return refuse("the values at " + hexText(run.offset) + " of the parameters differ");
    for (const edit::EditedArchive& archive : m_repack.applied.archives)
      if (archive.package.get() == &before) return compareMembers(archive, after);
    std::vector<library::PackagePtr> inside[2];
    for (const library::PackageMember& member : before.members)
      if (member.package) inside[0].push_back(member.package);
    for (const library::PackageMember& member : after.members)
      if (member.package) inside[1].push_back(member.package);
    if (inside[0].size() != inside[1].size())
      return refuse("it has " + std::to_string(inside[1].size()) + " containers instead of " +
                    std::to_string(inside[0].size()));
    for (std::size_t i = 0; i < inside[0].size(); ++i) BLOBSCOPE_CHECK(comparePackages(*inside[0][i], *inside[1][i]));
    return Done{};
  }

  /// Compares the members of an archive with those that its edits leave.
  Result<Done> compareMembers(const edit::EditedArchive& wanted, const library::Package& after) {
    const auto plain = [](std::string_view path) {
      while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
      return path;
    };
    if (after.members.size() != wanted.members.size())
      return refuse("it has " + countText(after.members.size(), "member") + " instead of " +
                    std::to_string(wanted.members.size()));
    for (std::size_t i = 0; i < wanted.members.size(); ++i) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const edit::EditedMember& member = wanted.members[i];
      const library::PackageMember& found = after.members[i];
      const std::string name = "member '" + escaped(member.path) + "'";
      if (plain(found.stored->path) != plain(member.path)) return refuse(name + " is not in its place");
      const library::PackageMember* const opened = member.origin ? &wanted.package->members[*member.origin] : nullptr;
      if (opened && !member.content && opened->package) {
        if (!found.package) return refuse(name + " cannot be opened");
        BLOBSCOPE_CHECK(comparePackages(*opened->package, *found.package));
        continue;
      }
      BLOBSCOPE_TRY(difference, findDifference({member.content ? *member.content : opened->stored->bytes},
                                               found.stored->bytes, m_monitor));
      if (difference) return refuse(name + " differs at its byte " + hexText(*difference));
    }
    return Done{};
  }

  const edit::EditedBlob* findEdited(const library::Blob* opened) const {
    for (const edit::EditedBlob& blob : m_repack.applied.blobs)
      if (&blob.opened() == opened) return &blob;
    return nullptr;
  }

  Result<Done> compareEdited(const library::Blob& blob, const edit::EditedBlob& wanted) {
    // In a plain file the bytes were already compared with the plan.
    const bool compared = blob.memberPath.empty() && blob.bytes.offset() && blob.bytes.size() == wanted.size &&
                          *blob.bytes.offset() == placeOfBlob();
    if (!compared) {
      BLOBSCOPE_TRY(difference, findDifference(wanted.pieces, blob.bytes, m_monitor));
      if (difference) return refuse("the new blob differs at its byte " + hexText(*difference));
    }
    if (wanted.modules.empty()) return Done{};
    // Modules of a forced tree may be split differently; the bytes are the requested ones.
    const auto& warnings = m_repack.applied.warnings;
    if (std::any_of(warnings.begin(), warnings.end(),
                    [](const Diagnostic& one) { return one.id == DiagnosticId::PlanForced; }))
      return Done{};
    if (blob.modules.size() != wanted.modules.size())
      return refuse("the new blob has " + countText(blob.modules.size(), "module") + " instead of " +
                    std::to_string(wanted.modules.size()));
    for (std::size_t i = 0; i < blob.modules.size(); ++i) {
      const library::Module& module = *blob.modules[i];
      const edit::EditedModule& planned = wanted.modules[i];
      const bool equal = module.key == planned.key && module.payload.size() == planned.payload.size() &&
                         module.imports == planned.imports;
      if (!equal) return refuse("module " + std::to_string(i) + " is not the edited '" + escaped(planned.origin) + "'");
    }
    return Done{};
  }

  /// Returns the offset of the new blob in the plan; nothing when the output does not contain its bytes unchanged.
  std::optional<uint64_t> placeOfBlob() const {
    uint64_t at = 0;
    for (const Part& part : m_repack.plan.parts) {
      if (part.from == Part::From::Blob) return at;
      at += part.size();
    }
    return std::nullopt;
  }

  Result<Done> compareKept(const library::Blob& blob, const library::Blob& before) {
    BLOBSCOPE_TRY(difference, findDifference({before.bytes}, blob.bytes, m_monitor));
    if (difference)
      return refuse("another blob, '" + escaped(before.carrier.symbol) + "', differs at its byte " +
                    hexText(*difference));
    return Done{};
  }

  /// Checks that all symbols except those of blobs and sections are unchanged. In an object file, symbols after the
  /// blob move with the end of its section.
  Result<Done> compareSymbols(const container::Image& before, const container::Image& after) {
    const auto hasMoved = [&](const container::Symbol& old, const container::Symbol& now) {
      if (before.kind != container::Kind::Object || old.section != now.section) return false;
      if (old.section >= before.sections.size() || now.section >= after.sections.size()) return false;
      return now.value - old.value == after.sections[now.section].size - before.sections[old.section].size;
    };
    // Functions of a linked WebAssembly module have file offsets as values, and one of them contains the blob's
    // address.
    const bool functionsMove = before.format == container::Format::Wasm && before.kind == container::Kind::Module;
    if (before.symbols.size() != after.symbols.size())
      return refuse("it has " + std::to_string(after.symbols.size()) + " symbols instead of " +
                    std::to_string(before.symbols.size()));
    for (std::size_t i = 0; i < before.symbols.size(); ++i) {
      if (i % 4096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const container::Symbol &old = before.symbols[i], &now = after.symbols[i];
      if (old.type == container::SymbolType::Section || container::matchCarrier(before.plainName(old))) continue;
      if (functionsMove && old.type == container::SymbolType::Function && now.type == old.type &&
          old.name == now.name && old.defined == now.defined)
        continue;
      const bool sameValue = old.value == now.value || hasMoved(old, now);
      if (old.name != now.name || !sameValue || old.size != now.size || old.defined != now.defined)
        return refuse("the symbol '" + escaped(old.name) + "' has changed");
    }
    return Done{};
  }

  const Repack& m_repack;
  const std::filesystem::path& m_path;
  bool m_full;
  Monitor& m_monitor;
  uint64_t m_total = 0;
};

} // namespace

Result<Done> verifyRepack(const Repack& repack, const std::filesystem::path& path, WriteOptions::Verify verify,
                          Monitor& monitor) {
  longWork("write::verifyRepack");
  return Verifier(repack, path, verify, monitor).run();
}

} // namespace blobscope::write
