#include "core/payloads/hsaco/hsaco.h"

#include "core/base/text.h"
#include "core/payloads/elf/elf.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

struct Processor {
  uint8_t mach; ///< EF_AMDGPU_MACH, the low byte of e_flags
  std::string_view name;
};
constexpr Processor kProcessors[] = {
    {0x20, "gfx600"},          {0x21, "gfx601"},         {0x22, "gfx700"},       {0x23, "gfx701"},
    {0x24, "gfx702"},          {0x25, "gfx703"},         {0x26, "gfx704"},       {0x28, "gfx801"},
    {0x29, "gfx802"},          {0x2a, "gfx803"},         {0x2b, "gfx810"},       {0x2c, "gfx900"},
    {0x2d, "gfx902"},          {0x2e, "gfx904"},         {0x2f, "gfx906"},       {0x30, "gfx908"},
    {0x31, "gfx909"},          {0x32, "gfx90c"},         {0x33, "gfx1010"},      {0x34, "gfx1011"},
    {0x35, "gfx1012"},         {0x36, "gfx1030"},        {0x37, "gfx1031"},      {0x38, "gfx1032"},
    {0x39, "gfx1033"},         {0x3a, "gfx602"},         {0x3b, "gfx705"},       {0x3c, "gfx805"},
    {0x3d, "gfx1035"},         {0x3e, "gfx1034"},        {0x3f, "gfx90a"},       {0x40, "gfx940"},
    {0x41, "gfx1100"},         {0x42, "gfx1013"},        {0x43, "gfx1150"},      {0x44, "gfx1103"},
    {0x45, "gfx1036"},         {0x46, "gfx1101"},        {0x47, "gfx1102"},      {0x48, "gfx1200"},
    {0x49, "gfx1250"},         {0x4a, "gfx1151"},        {0x4b, "gfx941"},       {0x4c, "gfx942"},
    {0x4e, "gfx1201"},         {0x4f, "gfx950"},         {0x51, "gfx9-generic"}, {0x52, "gfx10-1-generic"},
    {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"},  {0x55, "gfx1152"},      {0x58, "gfx1153"},
    {0x59, "gfx12-generic"},   {0x5f, "gfx9-4-generic"},
};

std::optional<std::string> processorName(uint32_t flags) {
  for (const Processor& processor : kProcessors)
    if (processor.mach == (flags & 0xff)) return std::string(processor.name);
  return std::nullopt;
}

constexpr uint8_t kHsa = 64;           // ELFOSABI_AMDGPU_HSA
constexpr uint32_t kMetadataNote = 32; // NT_AMDGPU_METADATA of owner "AMDGPU"
constexpr uint32_t kTextNote = 10;     // NT_AMD_HSA_METADATA of owner "AMD"

std::string systemText(uint8_t osAbi) {
  switch (osAbi) {
  case kHsa: return "HSA";
  case 65: return "PAL";
  case 66: return "Mesa 3D";
  default: return std::to_string(osAbi);
  }
}

/// The XNACK and SRAMECC features in the flags, whose bits depend on the version of the code object.
void addFeatures(const container::elf::File& header, std::vector<std::vector<std::string>>& facts) {
  if (header.osAbi != kHsa) return;
  if (header.abiVersion == 1) { // V3
    facts.push_back({"XNACK", header.flags & 0x100 ? "on" : "off"});
    facts.push_back({"SRAM ECC", header.flags & 0x200 ? "on" : "off"});
  } else if (header.abiVersion >= 2 && header.abiVersion <= 4) { // V4 – V6
    constexpr const char* kSettings[] = {"not supported", "any", "off", "on"};
    facts.push_back({"XNACK", kSettings[header.flags >> 8 & 3]});
    facts.push_back({"SRAM ECC", kSettings[header.flags >> 10 & 3]});
    const uint32_t generic = header.flags >> 24;
    if (header.abiVersion == 4 && generic > 0) facts.push_back({"generic version", std::to_string(generic)});
  }
}

struct KernelColumn {
  const char* title;
  const char* key; ///< in the kernel's map, code object V3 and later
  bool number = true;
};
constexpr KernelColumn kKernelColumns[] = {
    {"name", ".name", false},
    {"symbol", ".symbol", false},
    {"VGPRs", ".vgpr_count"},
    {"SGPRs", ".sgpr_count"},
    {"AGPRs", ".agpr_count"},
    {"spilled VGPRs", ".vgpr_spill_count"},
    {"spilled SGPRs", ".sgpr_spill_count"},
    {"LDS bytes", ".group_segment_fixed_size"},
    {"scratch bytes", ".private_segment_fixed_size"},
    {"argument bytes", ".kernarg_segment_size"},
    {"largest workgroup", ".max_flat_workgroup_size"},
    {"wavefront", ".wavefront_size"},
    {"required workgroup", ".reqd_workgroup_size", false},
};
constexpr KernelColumn kArgumentColumns[] = {
    {"name", ".name", false},
    {"offset", ".offset"},
    {"bytes", ".size"},
    {"kind", ".value_kind", false},
    {"type", ".type_name", false},
    {"address space", ".address_space", false},
    {"access", ".access", false},
    {"actual access", ".actual_access", false},
};

std::string textOf(const json::Value& map, const char* key) {
  const json::Value* const value = map.find(key);
  return value ? metadataText(*value) : std::string();
}

/// Adds tables of kernels and arguments, as stored.
void addKernelTables(const json::Value& metadata, view::PageList& list) {
  const json::Value* const kernels = metadata.find("amdhsa.kernels");
  if (!kernels || !kernels->array()) return;
  std::vector<view::Column> kernelColumns, argumentColumns = {{"kernel"}, {"number", true}};
  for (const KernelColumn& column : kKernelColumns) kernelColumns.push_back({column.title, column.number});
  for (const KernelColumn& column : kArgumentColumns) argumentColumns.push_back({column.title, column.number});
  kernelColumns.push_back({"arguments", true});
  std::vector<std::vector<std::string>> kernelRows, argumentRows;
  for (const json::Value& kernel : *kernels->array()) {
    std::vector<std::string> row;
    for (const KernelColumn& column : kKernelColumns) row.push_back(textOf(kernel, column.key));
    const json::Value* const arguments = kernel.find(".args");
    const std::size_t count = arguments && arguments->array() ? arguments->array()->size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const json::Value& argument = (*arguments->array())[i];
      std::vector<std::string> cells = {row.front(), std::to_string(i)};
      for (const KernelColumn& column : kArgumentColumns) cells.push_back(textOf(argument, column.key));
      argumentRows.push_back(std::move(cells));
    }
    row.push_back(std::to_string(count));
    kernelRows.push_back(std::move(row));
  }
  list.push_back(view::tablePage("Kernels", std::move(kernelColumns), std::move(kernelRows)));
  if (!argumentRows.empty())
    list.push_back(view::tablePage("Arguments", std::move(argumentColumns), std::move(argumentRows)));
}

void hsacoPages(const Bytes& bytes, view::PageList& list) {
  const auto header = container::elf::File::readHeader(bytes);
  if (!header) {
    addElfTables(bytes, list); // reports what is damaged
    return;
  }
  std::vector<std::vector<std::string>> facts = {
      {"processor", processorName(header->flags).value_or("unknown, number " + hexText(header->flags & 0xff))},
      {"system", systemText(header->osAbi)},
  };
  if (header->osAbi == kHsa && header->abiVersion <= 4)
    facts.push_back({"code object version", std::to_string(header->abiVersion + 2)});
  else
    facts.push_back({"ABI version", std::to_string(header->abiVersion)});
  addFeatures(*header, facts);
  facts.push_back({"type", elfTypeText(header->type)});
  facts.push_back({"flags", hexText(header->flags)});

  const std::vector<ElfNote> notes = elfNotes(*header);
  const auto findNote = [&](std::string_view owner, uint32_t type) {
    return std::find_if(notes.begin(), notes.end(),
                        [&](const ElfNote& note) { return note.owner == owner && note.type == type; });
  };
  const auto packed = findNote("AMDGPU", kMetadataNote), text = findNote("AMD", kTextNote);
  std::optional<json::Value> metadata;
  if (packed != notes.end()) metadata = readMetadata(packed->content);
  if (metadata) {
    if (const std::string target = textOf(*metadata, "amdhsa.target"); !target.empty())
      facts.push_back({"target", target});
    const json::Value* const version = metadata->find("amdhsa.version");
    if (version && version->array() && version->array()->size() == 2)
      facts.push_back(
          {"metadata version", metadataText(version->array()->front()) + "." + metadataText(version->array()->back())});
    if (const json::Value* const kernels = metadata->find("amdhsa.kernels"); kernels && kernels->array())
      facts.push_back({"kernels", std::to_string(kernels->array()->size())});
  }
  list.push_back(view::factsPage("Code object", std::move(facts)));
  if (metadata) addKernelTables(*metadata, list);
  if (packed != notes.end() && !metadata)
    list.push_back({"Metadata", view::NoticePage{"the " + sizeText(packed->content.size()) +
                                                 " of metadata cannot be read as MessagePack"}});
  if (text != notes.end()) list.push_back({"Metadata", view::TextPage{text->content, "yaml"}});
  addElfTables(bytes, list);
}

std::vector<std::string> hsacoWords(const Bytes& bytes) {
  const auto header = container::elf::File::readHeader(bytes);
  const auto name = header ? processorName(header->flags) : std::nullopt;
  return {name ? "hsaco " + *name : "hsaco"};
}

} // namespace

std::optional<json::Value> readMetadata(const Bytes& bytes) {
  return json::parseMessagePack(bytes, kMetadataDepth, kMetadataValues);
}

HsacoKernels readHsacoKernels(const Bytes& bytes) {
  HsacoKernels out;
  const auto header = container::elf::File::readHeader(bytes);
  if (!header) return out;
  out.processor = processorName(header->flags).value_or("");
  std::optional<json::Value> metadata;
  for (const ElfNote& note : elfNotes(*header))
    if (!metadata && note.owner == "AMDGPU" && note.type == kMetadataNote) metadata = readMetadata(note.content);
  const json::Value* const kernels = metadata ? metadata->find("amdhsa.kernels") : nullptr;
  if (!kernels || !kernels->array()) return out;
  const auto number = [](const json::Value& kernel, const char* key) -> std::optional<uint64_t> {
    const json::Value* const value = kernel.find(key);
    if (!value) return std::nullopt;
    if (const auto* const count = std::get_if<uint64_t>(&value->data)) return *count;
    const auto* const count = std::get_if<int64_t>(&value->data);
    return count && *count >= 0 ? std::optional(static_cast<uint64_t>(*count)) : std::nullopt;
  };
  for (const json::Value& kernel : *kernels->array()) {
    HsacoKernel one;
    if (const json::Value* const name = kernel.find(".name"); name && name->string()) one.name = *name->string();
    one.registers = number(kernel, ".vgpr_count");
    one.ldsBytes = number(kernel, ".group_segment_fixed_size");
    one.scratchBytes = number(kernel, ".private_segment_fixed_size");
    one.workgroupItems = number(kernel, ".max_flat_workgroup_size");
    out.kernels.push_back(std::move(one));
  }
  return out;
}

std::string hsacoTarget(const Bytes& bytes) {
  const auto header = container::elf::File::readHeader(bytes);
  auto name = header ? processorName(header->flags) : std::nullopt;
  if (!name) return {};
  const auto add = [&](const char* feature, uint32_t setting) { // 2: off, 3: on
    if (setting >= 2) *name += std::string(":") + feature + (setting == 2 ? "-" : "+");
  };
  if (header->osAbi == kHsa && header->abiVersion >= 2 && header->abiVersion <= 4) { // V4 – V6
    add("sramecc", header->flags >> 10 & 3);
    add("xnack", header->flags >> 8 & 3);
  }
  return *name;
}

std::string metadataText(const json::Value& value) {
  if (const auto* const truth = std::get_if<bool>(&value.data)) return *truth ? "yes" : "no";
  if (const auto* const number = std::get_if<int64_t>(&value.data)) return std::to_string(*number);
  if (const auto* const number = std::get_if<uint64_t>(&value.data)) return std::to_string(*number);
  if (const auto* const number = std::get_if<double>(&value.data)) return std::to_string(*number);
  if (const std::string* const text = value.string()) return escapedWithin(*text, 512);
  if (const json::Value::Object* const members = value.object()) return std::to_string(members->size()) + " members";
  const json::Value::Array* const items = value.array();
  if (!items) return {};
  std::string list = "[";
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (i > 0) list += ", ";
    if (i == 16) {
      list += "…";
      break;
    }
    list += (*items)[i].array() ? "[…]" : metadataText((*items)[i]);
  }
  return list + "]";
}

const PayloadFormat kHsaco = {"hsaco", hsacoPages, hsacoWords};

} // namespace blobscope::payloads
