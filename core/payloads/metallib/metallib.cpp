#include "core/payloads/metallib/metallib.h"

#include "core/base/limits.h"
#include "core/base/reader.h"
#include "core/base/text.h"
#include "core/payloads/bitcode/bitcode.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

struct MetalFunction {
  std::string name;
  std::optional<uint8_t> type;
  std::string hash;                      ///< SHA-256 of its bitcode, hexadecimal
  std::optional<uint64_t> bitcodeOffset; ///< in the bitcode part
  std::optional<uint64_t> bitcodeSize;
  std::string air, language; ///< "2.6"
};

struct Header {
  uint16_t platform = 0, major = 0, minor = 0;
  uint8_t type = 0, system = 0;
  uint16_t systemMajor = 0;
  uint64_t fileSize = 0;
  Extent functions, publicMetadata, privateMetadata, bitcode;
};

Extent readExtent(Reader& reader, const char* field) {
  const auto offset = reader.number<uint64_t>(field);
  return {offset, reader.number<uint64_t>(field)};
}

Header readHeader(Reader& reader) {
  Header header;
  reader.raw("magic", 4);
  header.platform = reader.number<uint16_t>("platform");
  header.major = reader.number<uint16_t>("version");
  header.minor = reader.number<uint16_t>("version");
  header.type = reader.number<uint8_t>("type");
  header.system = reader.number<uint8_t>("system");
  header.systemMajor = reader.number<uint16_t>("system version");
  reader.number<uint16_t>("system version");
  header.fileSize = reader.number<uint64_t>("file size");
  header.functions = readExtent(reader, "function list");
  header.publicMetadata = readExtent(reader, "public metadata");
  header.privateMetadata = readExtent(reader, "private metadata");
  header.bitcode = readExtent(reader, "bitcode");
  return header;
}

std::string platformText(uint16_t platform) {
  if (platform == 0x8001) return "macOS";
  if (platform == 0x0001) return "iOS";
  return hexText(platform);
}

std::string libraryTypeText(uint8_t type) {
  switch (type) {
  case 0: return "executable";
  case 1: return "Core Image";
  case 2: return "dynamic";
  case 3: return "symbol companion";
  default: return std::to_string(type);
  }
}

std::string systemText(uint8_t system) {
  constexpr const char* kSystems[] = {"macOS",        "iOS",           "tvOS",           "watchOS",          "bridgeOS",
                                      "Mac Catalyst", "iOS simulator", "tvOS simulator", "watchOS simulator"};
  if (system >= 0x81 && system <= 0x89) return kSystems[system - 0x81];
  return hexText(system);
}

std::string functionTypeText(std::optional<uint8_t> type) {
  constexpr const char* kTypes[] = {"vertex", "fragment", "kernel", "unqualified", "visible", "extern", "intersection"};
  if (!type) return {};
  return *type < std::size(kTypes) ? kTypes[*type] : std::to_string(*type);
}

/// Reads the tags of one function up to ENDT. Tags with an unknown name or an unusual size are skipped.
MetalFunction readFunction(Reader& reader) {
  MetalFunction function;
  while (reader.ok()) {
    const Bytes tag = reader.raw("tag", 4);
    if (!reader.ok() || tag.view() == "ENDT") break;
    const uint64_t size = reader.number<uint16_t>("tag size");
    const Bytes content = reader.raw("tag content", size);
    Reader inside(content);
    if (tag.view() == "NAME") {
      function.name = content.view().substr(0, content.view().find('\0'));
    } else if (tag.view() == "TYPE" && size == 1) {
      function.type = inside.number<uint8_t>("type");
    } else if (tag.view() == "HASH" && size == 32) {
      function.hash = hexDigits(content.view());
    } else if (tag.view() == "MDSZ" && size == 8) {
      function.bitcodeSize = inside.number<uint64_t>("bitcode size");
    } else if (tag.view() == "OFFT" && size == 24) {
      inside.number<uint64_t>("public metadata");
      inside.number<uint64_t>("private metadata");
      function.bitcodeOffset = inside.number<uint64_t>("bitcode");
    } else if (tag.view() == "VERS" && size == 8) {
      const auto version = [&] {
        const auto major = inside.number<uint16_t>("version");
        return std::to_string(major) + "." + std::to_string(inside.number<uint16_t>("version"));
      };
      function.air = version();
      function.language = version();
    }
  }
  return function;
}

/// The functions that could be read; `damage` says where reading stopped.
std::vector<MetalFunction> readFunctions(const Bytes& bytes, const Header& header, std::string& damage) {
  std::vector<MetalFunction> functions;
  if (header.functions.offset > bytes.size()) {
    damage = "the function list is at " + hexText(header.functions.offset) + ", after the " + sizeText(bytes.size()) +
             " that are there";
    return functions;
  }
  Reader reader(bytes.slice(header.functions.offset));
  const auto count = reader.number<uint32_t>("function count");
  constexpr uint64_t kSmallest = 8; // a size and the end tag
  if (count > reader.left() / kSmallest || count > limits::kListItems) {
    damage = groupedText(count) + " functions at " + hexText(header.functions.offset) + " cannot fit into the " +
             sizeText(reader.left()) + " left";
    return functions;
  }
  while (reader.ok() && functions.size() < count) {
    const uint64_t start = reader.position();
    const auto size = reader.number<uint32_t>("group size"); // includes itself
    MetalFunction function = readFunction(reader);
    if (!reader.ok()) break;
    functions.push_back(std::move(function));
    if (reader.position() == start + size) continue;
    damage = "the tags of function " + std::to_string(functions.size() - 1) + " at " +
             hexText(header.functions.offset + start) + " take " + std::to_string(reader.position() - start) +
             " bytes, not the declared " + std::to_string(size);
    return functions;
  }
  if (!reader.ok()) damage = reader.error().message();
  return functions;
}

void metallibPages(const Bytes& bytes, view::PageList& list) {
  Reader reader(bytes);
  const Header header = readHeader(reader);
  if (!reader.ok()) {
    list.push_back({"Damage", view::NoticePage{reader.error().message()}});
    return;
  }
  std::vector<std::vector<std::string>> facts = {
      {"platform", platformText(header.platform)},
      {"version", std::to_string(header.major) + "." + std::to_string(header.minor)},
      {"type", libraryTypeText(header.type)},
  };
  if (header.system != 0)
    facts.push_back({"system", systemText(header.system) + " " + std::to_string(header.systemMajor)});
  facts.push_back({"file size", sizeText(header.fileSize)});
  const auto addPart = [&](const char* label, Extent part) {
    facts.push_back({label, sizeText(part.size) + " at " + hexText(part.offset)});
  };
  addPart("function list", header.functions);
  addPart("public metadata", header.publicMetadata);
  addPart("private metadata", header.privateMetadata);
  addPart("bitcode", header.bitcode);

  std::string damage;
  const std::vector<MetalFunction> functions = readFunctions(bytes, header, damage);
  facts.push_back({"functions", std::to_string(functions.size())});
  const Bytes bitcode = bytes.slice(header.bitcode.offset, header.bitcode.size);
  if (!functions.empty() && functions.front().bitcodeOffset && functions.front().bitcodeSize) {
    const Bitcode first = readBitcode(bitcode.slice(*functions.front().bitcodeOffset, *functions.front().bitcodeSize));
    if (!first.producer.empty()) facts.push_back({"producer", escapedWithin(first.producer, 4'096)});
    if (!first.triple.empty()) facts.push_back({"target triple", escapedWithin(first.triple, 4'096)});
  }
  list.push_back(view::factsPage("Metal library", std::move(facts)));

  std::vector<std::vector<std::string>> rows;
  for (const MetalFunction& function : functions) {
    const auto at = function.bitcodeOffset ? checkedAdd(header.bitcode.offset, *function.bitcodeOffset) : std::nullopt;
    rows.push_back({escapedWithin(function.name, 4'096), functionTypeText(function.type), function.air,
                    function.language, at ? hexText(*at) : std::string(),
                    function.bitcodeSize ? std::to_string(*function.bitcodeSize) : std::string(), function.hash});
  }
  if (!rows.empty())
    list.push_back(view::tablePage(
        "Library functions",
        {{"name"}, {"type"}, {"AIR"}, {"Metal"}, {"bitcode at"}, {"bitcode bytes", true, true}, {"SHA-256"}},
        std::move(rows)));
  if (header.fileSize != bytes.size() && damage.empty())
    damage = "the header says that the library has " + sizeText(header.fileSize) + ", but there are " +
             sizeText(bytes.size());
  if (!damage.empty()) list.push_back({"Damage", view::NoticePage{damage}});
}

} // namespace

const PayloadFormat kMetallib = {"metallib", metallibPages};

} // namespace blobscope::payloads
