#include "core/describe/image_change.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/module_fields.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"
#include "core/targets/facts_folder.h"

#include <algorithm>

namespace blobscope::describe {
namespace {

using Runs = preflight::GpuRow::Runs;

/// The code that the kernels of a CUDA module share, and how many images it has.
struct ModuleCode {
  Bytes bytes;
  uint64_t images = 0;
};

/// Nothing for modules without machine code or PTX.
ModuleCode codeOf(const library::Module& module) {
  ModuleCode out;
  if (module.key.view() != "cuda") return out;
  const auto data = modules::sharedImage(*library::treeOf(module));
  const std::string_view content = data ? payloads::sniff(*data) : std::string_view();
  if (content == "fatbin") out.images = payloads::readFatbin(*data).entries().size();
  if (content == "cubin" || content == "ptx") out.images = 1;
  if (out.images > 0) out.bytes = *data;
  return out;
}

library::Module moduleOf(const edit::EditedModule& edited, std::size_t number) {
  library::Module out;
  out.index = static_cast<uint32_t>(number);
  out.key = edited.key;
  out.payload = edited.payload;
  out.body = edited.body;
  return out;
}

class Comparer {
public:
  Comparer(const edit::Applied& applied, Monitor& monitor) : m_applied(applied), m_monitor(monitor) {}

  /// Adds the modules whose code differs.
  Result<Done> addModules(ImageChange& out) const {
    for (const edit::EditedBlob& blob : m_applied.blobs) {
      if (blob.modules.empty()) continue;
      std::vector<bool> left(blob.opened().modules.size(), false);
      for (std::size_t i = 0; i < blob.modules.size(); ++i) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        const edit::EditedModule& edited = blob.modules[i];
        const auto origin = Ref::parse(edited.origin);
        const bool known = origin && origin->kind == Ref::Kind::Module && origin->module < left.size();
        const library::Module* const before = known ? blob.opened().modules[origin->module].get() : nullptr;
        if (known) left[origin->module] = true;
        // Unchanged modules share their bytes with the opened file, so that most are not read.
        if (before && before->key == edited.key && before->payload == edited.payload) continue;
        const auto place = blob.opened().moduleRef(known ? origin->module : static_cast<uint32_t>(i));
        add(place, before ? codeOf(*before) : ModuleCode{}, edited.body ? codeOf(moduleOf(edited, i)) : ModuleCode{},
            out);
      }
      for (std::size_t i = 0; i < left.size(); ++i)
        if (!left[i])
          add(blob.opened().moduleRef(static_cast<uint32_t>(i)), codeOf(*blob.opened().modules[i]), {}, out);
    }
    return Done{};
  }

  /// Returns `before` with the code of the edited blobs replaced by that after the edits.
  Result<std::vector<requirements::DeviceCode>> codeAfter(std::vector<requirements::DeviceCode> before) const {
    for (const edit::EditedBlob& blob : m_applied.blobs) {
      if (blob.modules.empty()) continue;
      std::erase_if(before, [&](const requirements::DeviceCode& code) {
        return code.ref.kind == Ref::Kind::Module && library::isIn(code.ref, *blob.package, blob.opened());
      });
      for (std::size_t i = 0; i < blob.modules.size(); ++i) {
        if (!blob.modules[i].body) continue;
        BLOBSCOPE_TRY(code, requirements::deviceCodeOf(moduleOf(blob.modules[i], i),
                                                       blob.opened().moduleRef(static_cast<uint32_t>(i)), m_monitor));
        before.insert(before.end(), std::make_move_iterator(code.begin()), std::make_move_iterator(code.end()));
      }
    }
    return before;
  }

private:
  static void add(const Ref& module, const ModuleCode& before, const ModuleCode& after, ImageChange& out) {
    if (before.bytes == after.bytes) return;
    out.modules.push_back({module, before.images, after.images, before.bytes.size(), after.bytes.size()});
  }

  const edit::Applied& m_applied;
  Monitor& m_monitor;
};

bool hasOtherCount(const ImageChange::OfModule& module) { return module.imagesBefore != module.imagesAfter; }

bool hasEffect(const preflight::GpuChange& change, GpuEffect effect) {
  switch (effect) {
  case GpuEffect::Lost: return change.after.runs == Runs::No;
  case GpuEffect::Gained: return change.before.runs == Runs::No;
  case GpuEffect::Compiled: break;
  }
  return change.before.runs == Runs::Natively && change.after.runs == Runs::Compiled;
}

} // namespace

std::string gpusText(const std::vector<preflight::GpuChange>& changes, GpuEffect effect) {
  std::string out;
  for (const preflight::GpuChange& change : changes)
    if (hasEffect(change, effect)) {
      const targets::GpuArchitecture& gpu = *change.after.gpu;
      out += (out.empty() ? "" : ", ") + gpu.name + (gpu.example.empty() ? "" : " (" + gpu.example + ")");
    }
  return out;
}

std::vector<Diagnostic> consequencesOf(const std::vector<preflight::GpuChange>& changes) {
  std::vector<Diagnostic> out;
  if (std::string gpus = gpusText(changes, GpuEffect::Lost); !gpus.empty())
    out.push_back({DiagnosticId::EditGpuLost, Ref::file(), {{"gpus", std::move(gpus)}}});
  const auto note = [&](GpuEffect effect, const char* what) {
    if (std::string gpus = gpusText(changes, effect); !gpus.empty())
      out.push_back({DiagnosticId::EditGpuRuns, Ref::file(), {{"what", what}, {"gpus", std::move(gpus)}}});
  };
  note(GpuEffect::Gained, "these GPUs can now run the library");
  note(GpuEffect::Compiled, "these GPUs ran machine code, and now their driver compiles PTX");
  return out;
}

Result<std::optional<ImageChange>> imageChangeOf(const write::Repack& repack, Monitor& monitor) {
  longWork("describe::imageChangeOf");
  ImageChange out;
  const Comparer comparer(repack.applied, monitor);
  BLOBSCOPE_CHECK(comparer.addModules(out));
  if (out.modules.empty()) return std::optional<ImageChange>();
  BLOBSCOPE_TRY(facts, targets::loadUsableFacts());
  out.facts = std::move(facts);
  BLOBSCOPE_TRY(before, requirements::deviceCodeOf(repack.package, monitor));
  BLOBSCOPE_TRY(after, comparer.codeAfter(before));
  out.gpus = preflight::gpuChanges(before, after, out.facts);
  if (out.gpus.empty() && !std::any_of(out.modules.begin(), out.modules.end(), hasOtherCount))
    return std::optional<ImageChange>(); // the same images with other content
  return std::optional(std::move(out));
}

Result<std::optional<ImageChange>> addImageChange(write::Repack& repack, Monitor& monitor) {
  BLOBSCOPE_TRY(change, imageChangeOf(repack, monitor));
  std::vector<Diagnostic>& consequences = repack.plan.consequences;
  if (change)
    for (Diagnostic& one : consequencesOf(change->gpus)) consequences.push_back(std::move(one));
  return change;
}

std::string imageLines(const ImageChange& change) {
  std::string out;
  for (const ImageChange::OfModule& module : change.modules) {
    if (!hasOtherCount(module)) continue;
    out += (out.empty() ? "images    " : "          ") + module.module.shown() + ": " +
           groupedText(module.imagesBefore) + " → " + countText(module.imagesAfter, "image") + ", " +
           groupedText(module.bytesBefore) + " → " + groupedText(module.bytesAfter) + " bytes";
    if (module.bytesAfter < module.bytesBefore)
      out += ", " + groupedText(module.bytesBefore - module.bytesAfter) + " freed";
    out += "\n";
  }
  return out;
}

void writeImageChange(json::Writer& writer, const ImageChange& change) {
  writer.beginObject();
  writer.key("modules").beginArray();
  for (const ImageChange::OfModule& module : change.modules) {
    writer.beginObject();
    writer.member("ref", module.module.toString());
    writer.member("imagesBefore", module.imagesBefore);
    writer.member("imagesAfter", module.imagesAfter);
    writer.member("bytesBefore", module.bytesBefore);
    writer.member("bytesAfter", module.bytesAfter);
    writer.endObject();
  }
  writer.endArray();
  writer.key("gpus").beginArray();
  for (const preflight::GpuChange& gpu : change.gpus) {
    writer.beginObject();
    writer.member("name", gpu.after.gpu->name);
    writer.member("example", gpu.after.gpu->example);
    writer.member("before", preflight::runsName(gpu.before.runs));
    writer.member("after", preflight::runsName(gpu.after.runs));
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

} // namespace blobscope::describe
