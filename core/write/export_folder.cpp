#include "core/write/export_folder.h"

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/base/output_folder.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "core/modules/module_fields.h"
#include "core/payloads/sniff.h"
#include "core/payloads/tensor/npy.h"

#include <algorithm>
#include <array>

namespace blobscope::write {
namespace {

/// Converts any bytes to a file name: short, printable, the same on all systems. Names begin with a number, so they are
/// unique.
std::string fileName(std::string_view name) {
  constexpr std::size_t kLongest = 80;
  std::string out;
  for (const char c : name) {
    if (out.size() == kLongest) break;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || (c == '.' && !out.empty());
    out += plain ? c : '_';
  }
  while (!out.empty() && out.back() == '.') out.pop_back(); // Windows drops it
  return out;
}

std::string numbered(std::size_t number, std::string_view name) {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
  const std::string rest = fileName(name);
  return rest.empty() || rest == std::to_string(number) ? digits : digits + "-" + rest;
}

/// Returns the usual file name extension for that content; `language`: of code that is text.
std::string_view ending(const Bytes& bytes, std::string_view language) {
  struct Known {
    std::string_view content, ending;
  };
  constexpr std::array kContents = {
      Known{"fatbin", ".fatbin"},     Known{"cubin", ".cubin"},     Known{"hsaco", ".hsaco"},
      Known{"hexagon-elf", ".so"},    Known{"elf", ".o"},           Known{"spirv", ".spv"},
      Known{"metallib", ".metallib"}, Known{"llvm-bitcode", ".bc"}, Known{"ptx", ".ptx"},
      Known{"json", ".json"}};
  constexpr std::array kLanguages = {Known{"cuda", ".cu"}, Known{"opencl", ".cl"}, Known{"metal", ".metal"},
                                     Known{"wgsl", ".wgsl"}, Known{"c", ".c"}};
  const std::string_view content = payloads::sniff(bytes);
  for (const Known& known : kContents)
    if (known.content == content) return known.ending;
  for (const Known& known : kLanguages)
    if (content == "text" && known.content == language) return known.ending;
  return content == "text" ? ".txt" : ".bin";
}

/// The limit of the written bytes as a multiple of the file size, for a file without compressed parts: payloads, and
/// their parts a second time.
constexpr uint64_t kPlain = 4;

class Exporter {
public:
  Exporter(const library::PackagePtr& package, OutputFolder& folder, Monitor& monitor)
      : m_package(package), m_folder(folder), m_monitor(monitor),
        m_json([this](std::string_view text) { m_manifest += text; }) {
    library::forEachPackage(package, [&](const library::PackagePtr& inner) {
      for (const auto& blob : inner->blobs) m_total += blob->modules.size();
    });
  }

  Result<ExportResult> run() {
    BLOBSCOPE_CHECK(library::checkUnchanged(*m_package));
    BLOBSCOPE_TRY(digest, computeSha256(m_package->bytes, m_monitor));
    m_json.beginObject();
    m_json.member("schema", "blobscope.manifest/1");
    m_json.key("file").beginObject();
    m_json.member("path", m_package->path);
    m_json.member("size", m_package->bytes.size());
    m_json.member("sha256", digest);
    m_json.endObject();
    m_json.key("blobs").beginArray();
    Result<Done> result = Done{};
    library::forEachPackage(m_package, [&](const library::PackagePtr& inner) {
      for (const auto& blob : inner->blobs)
        if (result) result = addBlob(*inner, *blob);
    });
    if (!result) return result.takeError();
    m_json.endArray();
    m_json.endObject();
    m_json.finish();
    BLOBSCOPE_CHECK(library::checkUnchanged(*m_package));
    BLOBSCOPE_CHECK(put("manifest.json", Bytes::copyOf(m_manifest)));
    return m_done;
  }

private:
  Result<Done> put(const std::filesystem::path& path, const Bytes& bytes) {
    // A few megabytes can contain images that unpack to gigabytes, and blobs that share their bytes.
    const uint64_t limit = std::max(m_package->budget->memoryLimit(), kPlain * m_package->bytes.size());
    if (bytes.size() > limit - std::min(limit, m_done.bytes))
      return Error(DiagnosticId::FileLimit, {{"count", sizeText(m_done.bytes + bytes.size())},
                                             arg("what", "to write"),
                                             {"limit", Budget::limitText(limit)}});
    BLOBSCOPE_CHECK(m_folder.write(path, bytes, m_monitor));
    ++m_done.files;
    m_done.bytes += bytes.size();
    return Done{};
  }

  /// Writes a file and its entry, {"file", "size", "sha256"}, after the existing members.
  Result<Done> file(const std::filesystem::path& path, const Bytes& bytes) {
    BLOBSCOPE_CHECK(put(path, bytes));
    BLOBSCOPE_TRY(digest, computeSha256(bytes, m_monitor));
    m_json.member("file", portableText(path));
    m_json.member("size", bytes.size());
    m_json.member("sha256", digest);
    return Done{};
  }

  Result<Done> addBlob(const library::Package& package, const library::Blob& blob) {
    const std::filesystem::path folder = pathFrom(numbered(m_blobs++, blob.carrier.symbol));
    m_json.beginObject();
    m_json.member("ref", blob.ref().toString());
    m_json.key("members").beginArray();
    for (const std::string& member : package.memberPath) m_json.value(member);
    m_json.endArray();
    m_json.member("carrier", carrierText(blob.carrier.name));
    m_json.member("prefix", blob.carrier.prefix);
    m_json.member("era", eraName(blob.era));
    m_json.member("stream", streamName(blob.cut.stream));
    m_json.member("declaredSize", blob.declaredSize);
    m_json.member("count", blob.cut.count);
    if (blob.cut.tree) {
      m_json.key("tree").beginObject();
      for (const auto& [name, values] :
           {std::pair("indptr", &blob.cut.tree->indptr), std::pair("child", &blob.cut.tree->child)}) {
        m_json.key(name).beginArray();
        for (const uint64_t value : *values) m_json.value(value);
        m_json.endArray();
      }
      m_json.endObject();
    } else {
      m_json.nullMember("tree");
    }
    // Modules and the tree in stored order, so that the stream can be rebuilt.
    m_json.key("records").beginArray();
    std::size_t module = 0;
    for (const library::Record& record : blob.cut.records)
      m_json.value(record.kind == library::Record::Kind::Tree ? std::string("tree") : "m" + std::to_string(module++));
    m_json.endArray();
    m_json.key("modules").beginArray();
    for (const library::ModulePtr& one : blob.modules) BLOBSCOPE_CHECK(addModule(blob, *one, folder));
    m_json.endArray();
    m_json.key("trailing").beginObject(); // bytes that no record owns
    if (blob.cut.end < blob.bytes.size())
      BLOBSCOPE_CHECK(file(folder / "trailing.bin", blob.bytes.slice(blob.cut.end)));
    m_json.endObject();
    m_json.endObject();
    return Done{};
  }

  Result<Done> addModule(const library::Blob& blob, const library::Module& module, const std::filesystem::path& above) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("exporting modules", m_modules++, m_total);
    const Ref ref = blob.moduleRef(module.index);
    const std::filesystem::path folder = above / pathFrom(numbered(module.index, module.key.view()));
    m_json.beginObject();
    m_json.member("ref", ref.toString());
    m_json.member("index", uint64_t{module.index});
    m_json.member("key", module.key.view());
    m_json.member("layout", module.body->layout());
    m_json.member("decoded", module.undecoded == library::Undecoded::No);
    m_json.key("imports").beginArray();
    for (const uint32_t child : module.imports) m_json.value(uint64_t{child});
    m_json.endArray();
    m_json.key("payload").beginObject();
    if (!module.isLibrary()) BLOBSCOPE_CHECK(file(folder / "payload.bin", module.payload));
    m_json.endObject();
    m_json.key("parts").beginArray();
    BLOBSCOPE_CHECK(addParts(module, ref, folder));
    m_json.endArray();
    m_json.endObject();
    return Done{};
  }

  Result<Done> part(const Ref& ref, const std::filesystem::path& path, const Bytes& bytes) {
    m_json.beginObject();
    m_json.member("ref", ref.toString());
    BLOBSCOPE_CHECK(file(path, bytes));
    m_json.endObject();
    return Done{};
  }

  Result<Done> addParts(const library::Module& module, const Ref& ref, const std::filesystem::path& folder) {
    const std::string_view language = module.body->language();
    const std::vector<modules::Kernel> kernels = module.body->kernels();
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (!kernels[i].code) continue;
      const std::string_view name = kernels[i].name.view();
      BLOBSCOPE_CHECK(
          part(ref.part(PartKind::Kernel, name),
               folder / "kernels" / pathFrom(numbered(i, name) + std::string(ending(*kernels[i].code, language))),
               *kernels[i].code));
    }
    for (const modules::PartGroup& group : module.body->parts()) {
      for (std::size_t i = 0; i < group.parts.size(); ++i) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        auto content = module.body->part(group.kind, i, m_monitor);
        if (!content) {
          if (content.error().code() == ErrorCode::Cancelled) return content.takeError();
          continue; // the payload contains a damaged image completely
        }
        if (!content->bytes) continue;
        const std::filesystem::path path =
            folder / fileName(std::string(partWord(group.kind)) + "s") / pathFrom(numbered(i, group.parts[i].name));
        const auto header = content->tensor ? payloads::npyHeader(*content->tensor) : std::nullopt;
        const Bytes bytes = header
                                ? Bytes::copyOf(header->bytes + std::string(payloads::npyData(*content->tensor).view()))
                                : *content->bytes;
        BLOBSCOPE_CHECK(part(ref.part(group.kind, group.parts[i].name),
                             pathFrom(portableText(path) + (header ? ".npy" : std::string(ending(bytes, language)))),
                             bytes));
      }
    }
    // The only image or text of a module without parts.
    const auto tree = library::treeOf(module);
    const auto data = modules::findKernelFields(*tree).image;
    if (!data) return Done{};
    const Bytes bytes = tree->content(*data);
    return part(ref.part(PartKind::Field, tree->path(*data)), folder / ("data" + std::string(ending(bytes, language))),
                bytes);
  }

  const library::PackagePtr& m_package;
  OutputFolder& m_folder;
  Monitor& m_monitor;
  std::string m_manifest;
  json::Writer m_json;
  ExportResult m_done;
  std::size_t m_blobs = 0;
  uint64_t m_modules = 0, m_total = 0;
};

} // namespace

Result<ExportResult> exportFolder(const library::PackagePtr& package, const std::filesystem::path& folder,
                                  Monitor& monitor) {
  longWork("write::exportFolder");
  bool any = false;
  library::forEachPackage(package, [&](const library::PackagePtr& inner) { any = any || !inner->blobs.empty(); });
  if (!any) return Error(DiagnosticId::ExportNothing, {});
  BLOBSCOPE_TRY(output, OutputFolder::create(folder));
  BLOBSCOPE_TRY(done, Exporter(package, output, monitor).run());
  BLOBSCOPE_CHECK(output.commit());
  return done;
}

} // namespace blobscope::write
