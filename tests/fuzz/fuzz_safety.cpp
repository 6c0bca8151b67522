#include "core/describe/safety.h"
#include "core/describe/safety_json.h"
#include "core/safety/safety.h"
#include "core/syntax/disassembler.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"
#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

/// What runs when a file is loaded: every file has an answer, its offsets are inside of the file, and it can be
/// written.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  const auto require = [](bool holds) {
    if (!holds) __builtin_trap();
  };
#ifdef BLOBSCOPE_DISASM
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
#endif
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto package = test::openBytes(input);
  if (!package) return 0;
  test::StepLimit monitor(size);
  const auto report = safety::assess(*package, monitor);
  require(report.hasValue() && !report->sentence().empty());
  uint64_t unowned = 0;
  if ((*package)->members.empty())
    for (const safety::UnownedRange& range : report->unowned) {
      require(range.extent.end() <= size && range.entropy >= 0 && range.entropy <= 8);
      unowned += range.extent.size;
    }
  require(unowned <= size);
  for (const safety::Piece& piece : report->pieces)
    require(piece.verdict != safety::Verdict::Known || !piece.known.empty());
  for (const check::Issue& issue : report->findings.issues) require(!issue.message.empty());
  require(json::parse(test::bytes(describe::safetyJson(*report))).hasValue());
  std::size_t written = describe::safetyHtml(**package, *report).size();
  describe::printSafety({[&](std::string_view text) { written += text.size(); },
                         [](Severity, std::string_view word) { return std::string(word); }},
                        *report, 0);
  const auto document = describe::cycloneDx(*package, *report, "0", monitor);
  require(document && json::parse(test::bytes(*document)).hasValue() && written > 0);
  return 0;
}
