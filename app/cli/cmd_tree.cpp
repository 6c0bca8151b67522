#include "app/cli/command.h"

#include "core/base/limits.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/library/device_images.h"
#include "core/library/host_abi.h"
#include "core/mlf/archive.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace blobscope::cli {
namespace {

using library::Blob;
using library::Module;
using library::Package;
using library::Undecoded;

/// Draws the import tree of a blob; a module that several modules import is shown under each of them and marked.
class TreePrinter {
public:
  TreePrinter(Session& session, const Blob& blob, bool all, std::string indent)
      : m_session(session), m_blob(blob), m_all(all), m_indent(std::move(indent)), m_importers(blob.importerCounts()),
        m_shown(blob.modules.size(), false) {}

  void print() {
    std::vector<uint32_t> roots = m_blob.roots();
    for (std::size_t i = 0; i < roots.size(); ++i)
      print(roots[i], m_indent + "  ", i + 1 == roots.size(), m_blob.hasRootModule());
    // Modules of cycles that no root reaches.
    for (uint32_t index = 0; index < m_blob.modules.size(); ++index)
      if (!m_shown[index]) print(index, m_indent + "  ", true, false);
    if (m_rows > limits::kTreeRows)
      m_session.print(m_indent + "  … the rest of the tree is not shown; --json lists every module once\n");
  }

private:
  /// A module whose imports are still being drawn.
  struct Level {
    uint32_t module;
    std::size_t next;
    std::string indent;
  };

  void print(uint32_t root, const std::string& indent, bool last, bool isRoot) {
    std::vector<Level> open;
    const std::string around = indent + (isRoot ? "" : last ? "   " : "│  ");
    row(root, indent + (isRoot ? "" : last ? "└─ " : "├─ "), around, false);
    open.push_back({root, 0, around});
    while (!open.empty() && m_rows <= limits::kTreeRows && !m_session.monitor().stopRequested()) {
      Level& level = open.back();
      const auto& imports = m_blob.modules[level.module]->imports;
      if (level.next == imports.size()) {
        open.pop_back();
        continue;
      }
      const uint32_t child = imports[level.next++];
      const bool lastChild = level.next == imports.size();
      const bool cycle =
          std::any_of(open.begin(), open.end(), [&](const Level& above) { return above.module == child; });
      const bool again = m_shown[child];
      const std::string below = level.indent + (lastChild ? "   " : "│  ");
      row(child, level.indent + (lastChild ? "└─ " : "├─ "), below, cycle);
      if (!cycle && (!again || m_importers[child] > 1) && open.size() < 64) open.push_back({child, 0, below});
    }
  }

  /// `below`: the text before the rows under this one.
  void row(uint32_t index, const std::string& lead, const std::string& below, bool cycle) {
    if (++m_rows > limits::kTreeRows) return;
    const Module& module = *m_blob.modules[index];
    std::string line = lead + "m" + std::to_string(index) + " " + escaped(module.key.view());
    if (module.key.empty()) line += "(unreadable kind)";
    if (!module.isLibrary())
      line += "  " + sizeText(module.payload.size());
    else
      line += "  the library itself";
    if (const auto format = module.body->format()) line += ", format " + escaped(format->view());
    line += contentText(index);
    const bool first = !m_shown[index];
    m_shown[index] = true;
    if (cycle)
      line += "  [cycle: imports itself through this module]";
    else if (m_importers[index] > 1)
      line += "  [shared: imported by " + groupedText(m_importers[index]) + " modules]";
    switch (module.undecoded) {
    case Undecoded::No:
      if (!module.body->unknownTail().empty()) line += "  [newer than known]";
      break;
    case Undecoded::UnknownKind: line += module.guess ? "  [no decoder; its end is a guess]" : "  [no decoder]"; break;
    case Undecoded::Damaged: line += "  " + m_session.coloured(Severity::Error, "[damaged]"); break;
    case Undecoded::Region: line += "  " + m_session.coloured(Severity::Error, "[undecoded region]"); break;
    }
    m_session.print(line + "\n");
    if (first) functions(module, below + (module.imports.empty() ? "   " : "│  "));
  }

  /// Returns ", content …" of a module, computed once: thousands of modules may import the same one.
  const std::string& contentText(uint32_t index) {
    const auto [text, isNew] = m_content.try_emplace(index);
    if (!isNew) return text->second;
    const Module& module = *m_blob.modules[index];
    for (const std::string& word : module.body->content())
      if (!module.body->format() || word != module.body->format()->view()) text->second += ", content " + word;
    return text->second;
  }

  void functions(const Module& module, const std::string& indent) {
    const std::vector<std::string> names = library::functionNames(module);
    constexpr std::size_t kShown = 6;
    const std::size_t shown = m_all || names.size() <= kShown + 1 ? names.size() : kShown;
    for (std::size_t i = 0; i < shown; ++i) m_session.print(indent + escaped(names[i]) + "\n");
    if (shown < names.size())
      m_session.print(indent + "… " + groupedText(names.size() - shown) + " more functions (--all)\n");
  }

  Session& m_session;
  const Blob& m_blob;
  bool m_all;
  std::string m_indent;
  std::vector<uint32_t> m_importers;
  std::vector<bool> m_shown;
  std::unordered_map<uint32_t, std::string> m_content;
  uint64_t m_rows = 0;
};

void writeBlob(json::Writer& writer, const Blob& blob) {
  writer.beginObject();
  writer.member("ref", blob.ref().toString());
  writer.member("carrier", container::carrierText(blob.carrier.name));
  writer.member("prefix", blob.carrier.prefix);
  writer.member("era", library::eraName(blob.era));
  writer.member("stream", library::streamName(blob.cut.stream));
  writer.member("offset", blob.bytes.offset());
  writer.member("size", blob.bytes.size());
  if (blob.hasRootModule())
    writer.member("root", uint64_t{0});
  else
    writer.nullMember("root"); // the library itself
  writer.key("modules").beginArray();
  for (const library::ModulePtr& module : blob.modules) {
    writer.beginObject();
    writer.member("ref", blob.moduleRef(module->index).toString());
    writer.member("index", uint64_t{module->index});
    writer.member("key", module->key.view());
    writer.member("decoded", module->body->decoded());
    writer.member("guess", module->guess);
    writer.member("layout", module->body->layout());
    writer.member("offset", module->payload.offset());
    writer.member("offsetInBlob", module->payloadOffset);
    writer.member("size", module->payload.size());
    writer.key("imports").beginArray();
    for (const uint32_t child : module->imports) writer.value(uint64_t{child});
    writer.endArray();
    writer.key("functions").beginArray();
    for (const std::string& name : functionNames(*module)) writer.value(name);
    writer.endArray();
    if (const auto format = module->body->format())
      writer.member("format", format->view());
    else
      writer.nullMember("format");
    writer.key("content").beginArray();
    for (const std::string& content : module->body->content()) writer.value(content);
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

class TreeCommand final : public Command {
public:
  std::string_view name() const override { return "tree"; }
  std::string_view summary() const override {
    return "Show the import tree, the functions, the device images and the findings";
  }
  std::string_view example() const override { return "model.so"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_flag("--all", m_all, "List every function of every module, and every device image");
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    BLOBSCOPE_CHECK(readImages(package, session.monitor()));
    if (json) {
      writeDocument(session, *package);
      return kFine;
    }
    BLOBSCOPE_TRY(archive, mlf::readArchive(package, session.monitor()));
    // For a Model Library Format archive, what the window's Overview says first: "…, version 7: the model 'x' …; ".
    std::string model;
    if (archive) {
      BLOBSCOPE_TRY(overview, describe::overviewOf(*package, archive.get(), session.monitor()));
      model = overview.sentence;
      model.replace(model.size() - 1, 1, "; "); // the full stop
    }
    print(session, *package, model);
    return kFine;
  }

private:
  /// The device images of the file and its members, and what is in them for --json.
  Result<Done> readImages(const library::PackagePtr& package, Monitor& monitor) {
    std::vector<library::PackagePtr> all;
    library::forEachPackage(package, [&](const library::PackagePtr& one) { all.push_back(one); });
    for (const library::PackagePtr& one : all) {
      BLOBSCOPE_TRY(images, library::computeDeviceImages(*one, monitor));
      if (images.empty()) continue;
      for (std::size_t i = 0; json && i < images.size(); ++i) {
        BLOBSCOPE_TRY(code, library::computeCode(images[i], one->budget, monitor));
        m_code[one.get()].push_back(std::move(code));
      }
      m_images.emplace(one.get(), std::move(images));
    }
    return Done{};
  }

  void writeImages(json::Writer& writer, const Package& package) const {
    const auto found = m_images.find(&package);
    writer.key("images").beginArray();
    for (std::size_t i = 0; found != m_images.end() && i < found->second.size(); ++i) {
      const library::DeviceImage& image = found->second[i];
      if (!image.placed()) continue;
      const Ref ref = library::imageRef(package, i);
      writer.beginObject();
      writer.member("ref", ref.toString());
      writer.member("place", image.section.empty() ? std::string_view("file") : image.section);
      writer.member("offset", image.extent.offset);
      writer.member("size", image.extent.size);
      writer.member("kind", image.kindName());
      image.symbol.empty() ? writer.nullMember("symbol") : writer.member("symbol", image.symbol);
      writer.member("loaded", image.loadedName());
      writer.member("relocatable", image.relocatable);
      writer.key("entries").beginArray();
      for (std::size_t j = 0; j < image.entries.size(); ++j) {
        const library::ImageEntry& entry = image.entries[j];
        const auto& kernels = m_code.at(&package)[i][j].kernels;
        writer.beginObject();
        writer.member("ref", ref.part(PartKind::Entry, std::to_string(j)).toString());
        writer.member("kind", entry.kind);
        entry.arch.empty() ? writer.nullMember("arch") : writer.member("arch", entry.arch);
        writer.member("size", entry.size);
        writer.member("unpacked", entry.unpacked);
        kernels ? writer.member("kernels", uint64_t{kernels->size()}) : writer.nullMember("kernels");
        writer.endObject();
      }
      writer.endArray();
      writer.endObject();
    }
    writer.endArray();
  }

  void writeDocument(Session& session, const Package& package) const {
    const auto writer = beginDocument(session);
    writer->key("file").beginObject();
    writer->member("path", package.path);
    writer->member("size", package.bytes.size());
    writer->endObject();
    writePackage(*writer, package);
    writer->endObject();
    writer->finish();
  }

  /// Writes the keys that a file and a member have in common.
  void writePackage(json::Writer& writer, const Package& package) const {
    writer.member("package", package.kind());
    writer.key("container").beginObject();
    writer.member("format", container::formatName(package.image.format));
    package.image.arch.empty() ? writer.nullMember("arch") : writer.member("arch", package.image.arch);
    writer.member("kind", container::kindName(package.image.kind));
    package.image.compression.empty() ? writer.nullMember("compression")
                                      : writer.member("compression", package.image.compression);
    writer.endObject();
    writer.key("members").beginArray();
    for (const library::PackageMember& member : package.members) {
      writer.beginObject();
      writer.member("path", member.name);
      writer.member("role", member.role);
      writer.member("size", member.stored->bytes.size());
      if (member.package) writePackage(writer, *member.package);
      writer.endObject();
    }
    writer.endArray();
    writer.key("blobs").beginArray();
    for (const auto& blob : package.blobs) writeBlob(writer, *blob);
    writer.endArray();
    writer.key("host").beginObject();
    package.host.abi ? writer.member("abi", host::abiName(*package.host.abi)) : writer.nullMember("abi");
    writer.key("functions").beginArray();
    for (const host::Function& function : package.host.functions) writer.value(function.name);
    writer.endArray();
    writer.member("symbols", uint64_t{package.image.symbols.size()});
    package.producer ? writer.member("producer", package.producer->id) : writer.nullMember("producer");
    writer.endObject();
    writeImages(writer, package);
    writeDiagnostics(writer, package.diagnostics);
  }

  void print(Session& session, const Package& package, const std::string& model) const {
    session.print(shownPath(package.path) + ": " + model + title(package) + ", " + sizeText(package.bytes.size()) +
                  "\n");
    printInside(session, package, "");
    if (package.diagnostics.empty())
      session.print("nothing is damaged\n");
    else
      printDiagnostics(session, package.diagnostics);
  }

  static std::string title(const Package& package) {
    const container::Image& image = package.image;
    const std::string format(container::formatTitle(image.format));
    if (image.kind == container::Kind::Archive)
      return format + " archive" + (image.compression.empty() ? "" : " (" + image.compression + ")") + ", " +
             countText(package.members.size(), "member");
    const bool blob = package.image.format == container::Format::Raw;
    if (image.format == container::Format::CSource && !package.host.abi && package.blobs.empty()) return "C source";
    std::string what = "library";
    if (package.kind() == "params") {
      what = "TVM parameters";
    } else if (blob) {
      what = "TVM blob";
    } else if (package.file == library::FileKind::Runtime && package.producer) {
      // "TVM runtime (exports 50 functions of TVM's C interface)"
      constexpr std::string_view kIt = "it ";
      const library::Producer& producer = *package.producer;
      what = std::string(producer.title) + " (" +
             producer.sign.substr(producer.sign.starts_with(kIt) ? kIt.size() : 0) + ")";
    } else if (package.file == library::FileKind::PythonExtension) {
      what = "Python extension";
    } else if (!package.blobs.empty() || (package.host.abi && (!package.producer || package.producer->id == "tvm"))) {
      what = "TVM library";
    } else if (package.producer && package.producer->ofTvm) {
      what = "tvm-ffi library";
    }
    return what + ", " + format +
           (image.kind == container::Kind::Other ? "" : " " + std::string(container::kindName(image.kind))) +
           (image.arch.empty() ? blob || image.bits == 0 ? "" : ", unknown architecture" : ", " + image.arch);
  }

  void printInside(Session& session, const Package& package, const std::string& indent) const {
    const container::Image& image = package.image;
    if (package.producer && package.file != library::FileKind::Runtime && image.kind != container::Kind::Archive)
      session.print(indent + package.producer->sentence() + "\n");
    // A C header or a source file without functions has nothing to list.
    const bool isEmptySource = image.format == container::Format::CSource && image.symbols.empty();
    if (image.kind != container::Kind::Archive && image.format != container::Format::Raw && !isEmptySource) {
      std::string hostLine = indent + "host code: ";
      if (package.host.abi)
        hostLine +=
            "ABI " + library::hostAbiText(package) + ", " + countText(package.host.functions.size(), "function") + ", ";
      else if (const std::string_view why = library::whyHostUnknown(package); !why.empty())
        hostLine += "not known, " + std::string(why) + "; ";
      session.print(hostLine + countText(image.symbols.size(), "symbol") + "\n");
    }
    constexpr std::size_t kShown = 6;
    const auto& functions = package.host.functions;
    const std::size_t shown = m_all || functions.size() <= kShown + 1 ? functions.size() : kShown;
    for (std::size_t i = 0; i < shown; ++i) session.print(indent + "  " + escaped(functions[i].name) + "\n");
    if (shown < functions.size())
      session.print(indent + "  … " + groupedText(functions.size() - shown) + " more functions (--all)\n");

    printImages(session, package, indent);
    for (const auto& blob : package.blobs) {
      std::string line =
          indent + "blob '" + escaped(blob->carrier.symbol) + "': era " + std::string(library::eraName(blob->era)) +
          " (" + std::string(library::eraReleases(blob->era)) + "), " +
          std::string(library::streamName(blob->cut.stream)) + " stream, " + sizeText(blob->bytes.size());
      if (blob->bytes.offset()) line += " at " + hexText(*blob->bytes.offset());
      session.print(line + "\n");
      TreePrinter(session, *blob, m_all, indent).print();
    }
    for (const library::PackageMember& member : package.members) {
      if (member.stored->type == container::Member::Type::Folder) continue; // its files name it
      std::string line = indent + "member '" + escaped(member.name) + "': ";
      line += member.role == "header" ? "C header" : member.package ? title(*member.package) : std::string(member.role);
      if (!member.stored->note.empty()) line += ", " + member.stored->note;
      if (!member.stored->bytes.empty()) line += ", " + sizeText(member.stored->bytes.size());
      session.print(line + "\n");
      if (member.package) printInside(session, *member.package, indent + "  ");
    }
  }

  void printImages(Session& session, const Package& package, const std::string& indent) const {
    constexpr std::size_t kShown = 6;
    const auto found = m_images.find(&package);
    if (found == m_images.end()) {
      // Of a library without a blob the reader wants to know.
      if (package.host.abi && package.blobs.empty() && indent.empty()) session.print("device code: none\n");
      return;
    }
    const library::DeviceImages& images = found->second;
    session.print(indent + "device code: " + library::imagesSummary(images) + "\n");
    const std::size_t shown = m_all || images.size() <= kShown + 1 ? images.size() : kShown;
    for (std::size_t i = 0; i < shown; ++i) session.print(indent + "  " + library::imageLine(images[i], i) + "\n");
    if (shown < images.size())
      session.print(indent + "  … " + groupedText(images.size() - shown) + " more images (--all)\n");
  }

  bool m_all = false;
  std::map<const Package*, library::DeviceImages> m_images;
  std::map<const Package*, std::vector<std::vector<library::ImageCode>>> m_code; ///< by image and entry, for --json
};

} // namespace

std::unique_ptr<Command> makeTree() { return std::make_unique<TreeCommand>(); }

} // namespace blobscope::cli
