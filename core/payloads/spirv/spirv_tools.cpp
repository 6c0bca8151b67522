#include "core/payloads/spirv/spirv_tools.h"

#ifdef BLOBSCOPE_SPIRV_TOOLS

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/payloads/spirv/spirv_cost.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cstring>
#include <exception>

namespace blobscope::payloads {
namespace {

constexpr std::size_t kMessages = 100;

/// Why the module is not passed to SPIRV-Tools; empty when it is.
std::string refusal(const Bytes& bytes, const SpirvModule& module) {
  if (!module.damage.empty()) return module.damage;
  if (bytes.size() % 4 != 0) return "the module has " + sizeText(bytes.size()) + ", not a multiple of 4";
  if (bytes.size() > kSpirvToolsBytes)
    return "the module has " + sizeText(bytes.size()) + ", more than the limit of " + sizeText(kSpirvToolsBytes);
  if (module.bound == 0 || module.bound > kSpirvToolsIds)
    return "the id bound at 0xc is " + groupedText(module.bound) + ", not 1 to " + groupedText(kSpirvToolsIds);
  if (module.version >> 16 != 1) return "the version at 0x4 is " + module.versionText() + ", not 1.0 or later";
  return {};
}

spv_target_env universalRules(const SpirvModule& module) {
  constexpr spv_target_env kRules[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                       SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                       SPV_ENV_UNIVERSAL_1_6};
  return kRules[std::min<std::size_t>(module.version >> 8 & 0xff, std::size(kRules) - 1)];
}

/// The oldest Vulkan that accepts the version. Source: Vulkan Specification 1.3, appendix "Vulkan Environment for
/// SPIR-V", "Versions and Formats"; VK_KHR_spirv_1_4.
spv_target_env vulkanRules(const SpirvModule& module) {
  constexpr spv_target_env kRules[] = {SPV_ENV_VULKAN_1_0, SPV_ENV_VULKAN_1_1,           SPV_ENV_VULKAN_1_1,
                                       SPV_ENV_VULKAN_1_1, SPV_ENV_VULKAN_1_1_SPIRV_1_4, SPV_ENV_VULKAN_1_2,
                                       SPV_ENV_VULKAN_1_3};
  return kRules[std::min<std::size_t>(module.version >> 8 & 0xff, std::size(kRules) - 1)];
}

std::vector<uint32_t> wordsOf(const Bytes& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

view::Page notice(const std::string& what, const std::string& why) { return {"", view::NoticePage{what + ": " + why}}; }

/// Calls the library and turns exceptions into an error.
template <class F> Result<view::Page> guarded(Monitor& monitor, F&& call) {
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  try {
    return withinMemory(call);
  } catch (const std::exception& exception) {
    return Error(DiagnosticId::Internal, {arg("what", std::string("SPIRV-Tools: ") + exception.what())});
  }
}

/// "; Version: 1.3", as the disassembler writes it; the newest version without such a comment.
spv_target_env rulesOfText(std::string_view text) {
  constexpr std::string_view kVersion = "; Version: 1.";
  SpirvModule module;
  module.version = 0x00010600;
  if (const std::size_t at = text.find(kVersion); at != std::string_view::npos && at + kVersion.size() < text.size()) {
    const char digit = text[at + kVersion.size()];
    if (digit >= '0' && digit <= '6') module.version = 0x00010000u | static_cast<uint32_t>(digit - '0') << 8;
  }
  return universalRules(module);
}

} // namespace

bool hasSpirvTools() { return true; }

Result<SpirvAssembled> assembleSpirv(std::string_view text, Monitor& monitor) {
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  if (text.size() > kSpirvToolsBytes)
    return Error(
        DiagnosticId::FileLimit,
        {{"count", groupedText(text.size())}, {"what", "bytes of text"}, {"limit", groupedText(kSpirvToolsBytes)}});
  SpirvAssembled out;
  const std::string_view software = spvSoftwareVersionString();
  out.version = software.substr(software.find('v') == 0 ? 1 : 0);
  try {
    spvtools::SpirvTools tools(rulesOfText(text));
    bool fromText = true;
    tools.SetMessageConsumer(
        [&](spv_message_level_t level, const char*, const spv_position_t& position, const char* what) {
          if (out.problems.size() >= kMessages) return;
          // The validator knows words of the module, the assembler lines of the text.
          out.problems.push_back({level <= SPV_MSG_ERROR, fromText ? position.line + 1 : 0,
                                  fromText ? position.column + 1 : 0, shortened(what, 4'096)});
        });
    std::vector<uint32_t> words;
    if (!tools.Assemble(text.data(), text.size(), &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) return out;
    const Bytes bytes = Bytes::copyOf({reinterpret_cast<const char*>(words.data()), words.size() * 4});
    fromText = false;
    const SpirvModule module = readSpirv(bytes);
    const std::string obstacle = validationObstacle(bytes, module);
    if (obstacle.empty() && !tools.Validate(words.data(), words.size())) return out;
    if (!obstacle.empty()) out.problems.push_back({false, 0, 0, "the module was not validated: " + obstacle});
    out.module = bytes;
    return out;
  } catch (const std::exception& exception) {
    return Error(DiagnosticId::Internal, {arg("what", std::string("SPIRV-Tools: ") + exception.what())});
  }
}

Result<view::Page> disassembledSpirv(const Bytes& bytes, const SpirvModule& module, Monitor& monitor) {
  if (const std::string why = refusal(bytes, module); !why.empty()) return notice("not disassembled", why);
  return guarded(monitor, [&]() -> Result<view::Page> {
    uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT;
    if (spirvNamesFit(bytes, module.bound)) options |= SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    std::string message;
    spvtools::SpirvTools tools(universalRules(module));
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& position, const char* text) {
      if (message.empty()) message = "word " + std::to_string(position.index) + ": " + shortened(text, 4'096);
    });
    std::string text;
    const std::vector<uint32_t> words = wordsOf(bytes);
    if (!tools.Disassemble(words.data(), words.size(), &text, options))
      return notice("not disassembled", escaped(message));
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return view::Page{"Disassembly", view::TextPage{Bytes::copyOf(text), "spirv"}};
  });
}

Result<view::Page> validatedSpirv(const Bytes& bytes, const SpirvModule& module, Monitor& monitor) {
  std::string why = refusal(bytes, module);
  if (why.empty()) why = validationObstacle(bytes, module);
  if (!why.empty()) return notice("not validated", why);
  return guarded(monitor, [&]() -> Result<view::Page> {
    const std::vector<uint32_t> words = wordsOf(bytes);
    const bool names = spirvNamesFit(bytes, module.bound); // in messages, too
    std::vector<spv_target_env> rules = {universalRules(module)};
    if (module.hasCapability(1) && !module.hasCapability(6)) rules.push_back(vulkanRules(module)); // Shader, Kernel
    std::vector<std::vector<std::string>> rows;
    for (const spv_target_env environment : rules) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::string name = spvTargetEnvDescription(environment);
      std::vector<std::vector<std::string>> messages;
      spvtools::SpirvTools tools(environment);
      tools.SetMessageConsumer(
          [&](spv_message_level_t level, const char*, const spv_position_t& position, const char* text) {
            if (messages.size() >= kMessages) return;
            messages.push_back({name,
                                level <= SPV_MSG_ERROR     ? "error"
                                : level == SPV_MSG_WARNING ? "warning"
                                                           : "note",
                                std::to_string(position.index), escapedWithin(text, 4'096)});
          });
      spvtools::ValidatorOptions options;
      options.SetUniversalLimit(spv_validator_limit_max_id_bound, kSpirvToolsIds);
      options.SetFriendlyNames(names);
      const bool valid = tools.Validate(words.data(), words.size(), options);
      if (valid || messages.empty()) rows.push_back({name, valid ? "valid" : "not valid", "", ""});
      rows.insert(rows.end(), messages.begin(), messages.end());
    }
    return view::tablePage("Validation", {{"rules"}, {"result"}, {"word", true}, {"message"}}, std::move(rows));
  });
}

} // namespace blobscope::payloads

#else

namespace blobscope::payloads {

bool hasSpirvTools() { return false; }

Result<SpirvAssembled> assembleSpirv(std::string_view, Monitor&) {
  return Error(DiagnosticId::Internal, {arg("what", "a build without SPIRV-Tools was asked to assemble")});
}

Result<view::Page> disassembledSpirv(const Bytes&, const SpirvModule&, Monitor&) {
  return Error(DiagnosticId::Internal, {arg("what", "a build without SPIRV-Tools was asked to disassemble")});
}

Result<view::Page> validatedSpirv(const Bytes&, const SpirvModule&, Monitor&) {
  return Error(DiagnosticId::Internal, {arg("what", "a build without SPIRV-Tools was asked to validate")});
}

} // namespace blobscope::payloads

#endif
