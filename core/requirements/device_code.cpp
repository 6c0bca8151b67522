#include "core/base/text.h"
#include "core/library/device_images.h"
#include "core/library/node.h"
#include "core/modules/module_fields.h"
#include "core/payloads/bundle/bundle.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/elf/elf.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/hsaco/hsaco.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "core/payloads/spirv/spirv.h"
#include "core/requirements/parts.h"
#include "core/requirements/source_needs.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace blobscope::requirements {
namespace {

using library::Module;
using Kind = DeviceCode::Kind;

/// What an image says about one kernel.
struct Resources {
  std::optional<uint32_t> registers;
  std::optional<uint64_t> sharedBytes, threads;
};
using ResourcesByName = std::unordered_map<std::string, Resources>;

std::optional<uint64_t> product(const std::vector<uint64_t>& values) {
  uint64_t out = 1;
  for (const uint64_t value : values) {
    const auto next = checkedMultiply(out, value);
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

/// Keeps the first image of several with the same kernel, as the runtime's driver finds one of them.
void addResources(const payloads::Cubin& cubin, ResourcesByName& out) {
  for (const payloads::CubinKernel& kernel : cubin.kernels)
    out.try_emplace(nameOf(kernel.name.view()), Resources{kernel.registers, kernel.sharedBytes, kernel.blockThreads()});
}

void addResources(const payloads::Ptx& ptx, ResourcesByName& out) {
  for (const payloads::PtxEntry& entry : ptx.entries) {
    Resources resources;
    resources.sharedBytes = entry.sharedBytes;
    resources.threads = entry.blockThreads();
    out.try_emplace(nameOf(entry.name.view()), resources);
  }
}

/// Reads the device code of one file.
class Adder {
public:
  Adder(Requirements& out, Monitor& monitor) : m_out(out), m_monitor(monitor) {}

  Result<Done> addModule(const Module& module, const Ref& ref) {
    const std::string_view key = module.key.view();
    const bool device = key == "cuda" || key == "hip" || key == "hsaco" || key == "opencl" || key == "vulkan" ||
                        key == "metal" || key == "webgpu" || key == "hexagon" || key == "opengl";
    if (!device) return Done{};
    const std::vector<modules::Kernel> kernels = module.body->kernels();
    const auto tree = library::treeOf(module);
    m_key = nameOf(key);
    m_format = modules::declaredFormat(*tree);
    ResourcesByName resources;
    const auto image = modules::sharedImage(*tree);
    if (image) addImage(*image, ref, resources);
    uint64_t done = 0;
    for (const modules::Kernel& kernel : kernels) {
      if (done++ % 256 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading kernels", done, kernels.size());
      }
      if (m_out.kernels.size() >= kEntries) break;
      addKernel(kernel, *tree, ref.part(PartKind::Kernel, kernel.name.view()), image.has_value(), resources);
    }
    return Done{};
  }

  /// Images in the data of a host file; `number` of the package.
  Result<Done> addHostImages(const library::Package& package, uint32_t number) {
    BLOBSCOPE_TRY(images, library::computeDeviceImages(package, m_monitor));
    const BudgetPtr budget = package.budget ? package.budget : Budget::forFile(package.bytes.size());
    m_format.clear();
    for (const library::DeviceImage& image : images) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (!image.placed() || m_out.images.size() >= kEntries) continue;
      m_key = isAmd(image) ? "hip" : "cuda";
      HostImage host;
      host.ref = package.ref(Ref::bytesAt(image.extent.offset, image.extent.size));
      host.title = image.title();
      host.named = !image.name.empty();
      host.package = number;
      host.extent = image.extent;
      host.loaded = image.loaded;
      BLOBSCOPE_TRY(codes, library::computeCode(image, budget, m_monitor));
      addEntries(image, codes, host.ref);
      m_out.images.push_back(std::move(host));
    }
    return Done{};
  }

private:
  static bool isAmd(const library::DeviceImage& image) {
    using Image = library::DeviceImage;
    return image.kind == Image::Kind::Bundle || image.kind == Image::Kind::CodeObject;
  }

  void addEntries(const library::DeviceImage& image, const std::vector<library::ImageCode>& codes, const Ref& ref) {
    std::map<std::string, const library::ImageKernel*> kernels;
    for (std::size_t i = 0; i < image.entries.size(); ++i) {
      const library::ImageEntry& entry = image.entries[i];
      if (entry.kind == "host") continue;
      DeviceCode code = row(kindOf(entry.kind), entry.unpacked, ref);
      code.target = nameOf(entry.arch);
      code.version = entry.version;
      code.toolkit = codes[i].toolkit;
      code.image = static_cast<uint32_t>(m_out.images.size());
      code.kernelsKnown = codes[i].kernels.has_value();
      if (codes[i].kernels)
        for (const library::ImageKernel& kernel : *codes[i].kernels) {
          kernels.try_emplace(kernel.name, &kernel);
          if (code.kernels.size() < kEntries) code.kernels.push_back(kernel.name);
        }
      add(std::move(code));
    }
    for (const auto& [name, kernel] : kernels) {
      if (m_out.kernels.size() >= kEntries) break;
      NeededKernel out;
      out.name = name;
      out.moduleKey = m_key;
      out.ref = ref;
      out.registers = kernel->registers;
      out.sharedBytes = kernel->sharedBytes;
      out.threads = kernel->threads;
      m_out.kernels.push_back(std::move(out));
    }
  }

  static Kind kindOf(std::string_view entry) {
    if (entry == "cubin") return Kind::Cubin;
    if (entry == "ptx") return Kind::Ptx;
    if (entry == "ltoir") return Kind::LtoIr;
    return entry == "code-object" || entry == "spirv" ? Kind::HsaCo : Kind::Other;
  }

  DeviceCode row(Kind kind, uint64_t bytes, Ref ref) const {
    DeviceCode out;
    out.moduleKey = m_key;
    out.kind = kind;
    out.bytes = bytes;
    out.ref = std::move(ref);
    return out;
  }
  void add(DeviceCode code) {
    if (m_out.code.size() < kEntries) m_out.code.push_back(std::move(code));
  }

  /// The code that all kernels of a module share, or an image outside of a blob.
  void addImage(const Bytes& bytes, const Ref& ref, ResourcesByName& resources) {
    const std::string_view content = payloads::sniff(bytes);
    if (content == "fatbin") return addFatbin(bytes, ref, resources);
    if (content == "cubin") return addCubin(bytes, ref, resources);
    if (content == "ptx" || (m_key == "cuda" && m_format == "ptx" && content == "text"))
      return addPtx(bytes, ref, resources);
    if (content == "hsaco") return addHsaco(bytes, ref, resources);
    if (content == "bundle") return addBundle(bytes, ref, resources);
    if (m_key == "cuda") return add(row(content == "text" ? Kind::CudaSource : Kind::Other, bytes.size(), ref));
    if (m_key == "opencl") return addOpenCl(bytes, content, ref);
    if (m_key == "metal") return add(row(metalKind(bytes), bytes.size(), ref));
    DeviceCode other = row(Kind::Other, bytes.size(), ref);
    if (const auto header = container::elf::File::readHeader(bytes); header && m_key == "hexagon")
      other.target = payloads::hexagonVersion(header->flags).value_or("");
    add(std::move(other));
  }

  void addFatbin(const Bytes& bytes, const Ref& ref, ResourcesByName& resources) {
    const std::vector<payloads::FatbinEntry> entries = payloads::readFatbin(bytes).entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const payloads::FatbinEntry& entry = entries[i];
      const bool ptx = entry.kind == payloads::FatbinEntry::kPtx, cubin = entry.kind == payloads::FatbinEntry::kCubin;
      DeviceCode code = row(ptx     ? Kind::Ptx
                            : cubin ? Kind::Cubin
                                    : Kind::Other,
                            entry.unpackedSize(), ref.at ? ref : ref.part(PartKind::Entry, std::to_string(i)));
      code.target = entry.architecture();
      if (ptx) code.version = 10u * entry.versionMajor + entry.versionMinor;
      if (entry.compressedSize == 0 && cubin) {
        const payloads::Cubin read = payloads::readCubin(entry.payload);
        code.toolkit = read.toolkit;
        addResources(read, resources);
      }
      add(std::move(code));
    }
  }

  void addCubin(const Bytes& bytes, const Ref& ref, ResourcesByName& resources) {
    const payloads::Cubin cubin = payloads::readCubin(bytes);
    DeviceCode code = row(Kind::Cubin, bytes.size(), ref);
    code.target = cubin.architecture();
    code.toolkit = cubin.toolkit;
    addResources(cubin, resources);
    add(std::move(code));
  }

  void addPtx(const Bytes& bytes, const Ref& ref, ResourcesByName& resources) {
    const payloads::Ptx ptx = payloads::readPtx(bytes);
    DeviceCode code = row(Kind::Ptx, bytes.size(), ref);
    code.target = ptx.target;
    code.version = payloads::ptxVersionNumber(ptx.version);
    addResources(ptx, resources);
    add(std::move(code));
  }

  /// Source: core/payloads/hsaco/hsaco.h.
  void addHsaco(const Bytes& bytes, const Ref& ref, ResourcesByName& resources) {
    DeviceCode code = row(Kind::HsaCo, bytes.size(), ref);
    for (const std::string& word : payloads::kHsaco.words(bytes))
      if (const std::size_t at = word.find("gfx"); at != std::string::npos) code.target = word.substr(at);
    const auto header = container::elf::File::readHeader(bytes);
    const std::vector<payloads::ElfNote> notes =
        header ? payloads::elfNotes(*header) : std::vector<payloads::ElfNote>();
    constexpr uint32_t kMetadata = 32; // NT_AMDGPU_METADATA
    for (const payloads::ElfNote& note : notes) {
      if (note.owner != "AMDGPU" || note.type != kMetadata) continue;
      const auto metadata = payloads::readMetadata(note.content);
      const json::Value* const kernels = metadata ? metadata->find("amdhsa.kernels") : nullptr;
      if (!kernels) continue;
      // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" also names the settings that the device must have.
      if (const json::Value* const target = metadata->find("amdhsa.target"))
        if (const std::size_t at = target->text().rfind("gfx"); at != std::string::npos)
          code.target = nameOf(std::string_view(target->text()).substr(at));
      for (const json::Value& kernel : kernels->items()) {
        const auto number = [&](const char* key) -> std::optional<uint64_t> {
          const json::Value* const value = kernel.find(key);
          return value && value->isWhole() ? std::optional(value->number()) : std::nullopt;
        };
        Resources one;
        if (const auto registers = number(".vgpr_count"); registers && *registers <= UINT32_MAX)
          one.registers = static_cast<uint32_t>(*registers);
        one.sharedBytes = number(".group_segment_fixed_size");
        one.threads = number(".max_flat_workgroup_size");
        if (const json::Value* const name = kernel.find(".name")) resources.try_emplace(nameOf(name->text()), one);
      }
    }
    add(std::move(code));
  }

  /// Code objects for several GPUs in one piece.
  void addBundle(const Bytes& bytes, const Ref& ref, ResourcesByName& resources) {
    const auto unpacked = payloads::unpackBundle(bytes, Budget::forFile(bytes.size()), m_monitor);
    for (const payloads::BundleEntry& entry : payloads::readBundle(bytes, m_monitor).entries) {
      if (entry.isHost() || entry.extent.size == 0) continue;
      DeviceCode code = row(Kind::HsaCo, entry.extent.size, ref);
      code.target = nameOf(entry.target());
      if (unpacked)
        for (const payloads::HsacoKernel& kernel :
             payloads::readHsacoKernels(unpacked->slice(entry.extent.offset, entry.extent.size)).kernels)
          resources.try_emplace(nameOf(kernel.name), Resources{{}, kernel.ldsBytes, kernel.workgroupItems});
      add(std::move(code));
    }
  }

  void addOpenCl(const Bytes& bytes, std::string_view content, const Ref& ref) {
    const bool text = content == "text";
    DeviceCode code = row(text ? Kind::OpenClSource : Kind::OpenClBinary, bytes.size(), ref);
    if (text) code.capabilities = openClExtensions(bytes.view());
    add(std::move(code));
  }

  static Kind metalKind(const Bytes& bytes) {
    return payloads::sniff(bytes) == "metallib" || bytes.view().starts_with("MTLB") ? Kind::MetalLib
                                                                                    : Kind::MetalSource;
  }

  void addKernel(const modules::Kernel& kernel, const FieldTree& tree, Ref ref, bool sharesImage,
                 const ResourcesByName& resources) {
    const modules::KernelInfo info = modules::kernelInfo(tree, kernel.fieldRow);
    NeededKernel out;
    out.name = nameOf(kernel.name.view());
    out.moduleKey = m_key;
    out.secondInfo = info.second;
    out.launchTags = info.launchTags.empty() ? info.launchFields : info.launchTags;
    // Which arguments a shader writes; only the web runtime reads it. Source: apache/tvm v0.18.0
    // src/target/source/codegen_webgpu.cc.
    std::erase_if(out.launchTags, [](const std::string& tag) { return tag.starts_with("paramWriteAccess:"); });
    for (std::string& tag : out.launchTags) tag.resize(std::min(tag.size(), kNameBytes));
    if (const auto found = resources.find(out.name); found != resources.end()) {
      out.registers = found->second.registers;
      out.sharedBytes = found->second.sharedBytes;
      out.threads = found->second.threads;
    }
    if (kernel.code && !sharesImage) addKernelCode(kernel, info, tree, ref, out);
    out.ref = std::move(ref);
    m_out.kernels.push_back(std::move(out));
  }

  /// Code that belongs to one kernel only.
  void addKernelCode(const modules::Kernel& kernel, const modules::KernelInfo& info, const FieldTree& tree,
                     const Ref& ref, NeededKernel& out) {
    const Bytes& bytes = *kernel.code;
    if (payloads::sniff(bytes) == "spirv") {
      const bool uniform = modules::usesUniformScalars(tree, kernel.name.view());
      if (m_key == "vulkan" && !uniform) out.pushConstants = 8 * scalars(info);
      return addSpirv(bytes, uniform, ref, out);
    }
    if (m_key == "metal") return add(row(metalKind(bytes), bytes.size(), ref));
    if (m_key != "webgpu") return add(row(Kind::Other, bytes.size(), ref));
    const WgslNeeds needs = wgslNeeds(bytes.view());
    DeviceCode code = row(Kind::Wgsl, bytes.size(), ref);
    code.capabilities = needs.features;
    out.storageBuffers = needs.storageBuffers;
    out.threads = needs.threads;
    out.sharedBytes = needs.sharedBytes;
    add(std::move(code));
  }

  /// Arguments that are not pointers; each takes eight bytes of push constants. Source:
  /// core/formats/load-requirements.md 9.2.
  static uint64_t scalars(const modules::KernelInfo& info) {
    return static_cast<uint64_t>(std::count_if(info.argTypes.begin(), info.argTypes.end(),
                                               [](const std::string& type) { return type != "handle"; }));
  }

  void addSpirv(const Bytes& bytes, bool uniform, const Ref& ref, NeededKernel& out) {
    constexpr uint32_t kUniform = 2, kStorageBuffer = 12; // storage classes
    const payloads::SpirvModule module = payloads::readSpirv(bytes);
    DeviceCode code = row(Kind::Spirv, bytes.size(), ref);
    code.version = module.version;
    for (const uint32_t capability : module.capabilities)
      code.capabilities.push_back(payloads::spirvCapabilityName(capability));
    const auto count = [&](uint32_t storage) {
      const auto found = module.variables.find(storage);
      return found == module.variables.end() ? uint64_t{0} : found->second;
    };
    // Before SPIR-V 1.3 buffers are in the class Uniform, as is the one for scalar arguments.
    const uint64_t buffers = count(kStorageBuffer) + count(kUniform);
    out.storageBuffers = buffers - (uniform && count(kUniform) > 0 ? 1 : 0);
    out.sharedBytes = module.sharedBytes;
    for (const auto& entry : module.entryPoints)
      if (entry.localSize) out.threads = product({(*entry.localSize)[0], (*entry.localSize)[1], (*entry.localSize)[2]});
    add(std::move(code));
  }

  Requirements& m_out;
  Monitor& m_monitor;
  std::string m_key, m_format; ///< of the module that is read
};

} // namespace

Result<Done> addDeviceCode(const Packages& packages, Requirements& out, Monitor& monitor) {
  Adder adder(out, monitor);
  uint32_t number = 0;
  for (const library::PackagePtr& package : packages) {
    for (const auto& blob : package->blobs)
      for (const library::ModulePtr& module : blob->modules) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        BLOBSCOPE_CHECK(adder.addModule(*module, blob->moduleRef(module->index)));
      }
    BLOBSCOPE_CHECK(adder.addHostImages(*package, number++));
  }
  return Done{};
}

Result<Done> addDeviceCode(const library::Module& module, const Ref& ref, Requirements& out, Monitor& monitor) {
  return Adder(out, monitor).addModule(module, ref);
}

} // namespace blobscope::requirements
