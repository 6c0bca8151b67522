#pragma once

#include "tests/core/write/plan_check.h"
#include "tests/support/coff_builder.h"
#include "tests/support/macho_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/wasm_builder.h"

#include <string>
#include <vector>

/// Files of most formats with a blob between other bytes.
namespace blobscope::test::plan_files {

using namespace std::string_literals;

constexpr uint32_t kBase = 1024; ///< where linear memory begins to be used

inline std::string peFile(const std::string& blob, bool is64) {
  PeBuilder pe;
  pe.is64 = is64;
  if (!is64) pe.machine = 0x14c, pe.base = 0x400000;
  return pe.function("run").data("before", "1234").data(kCarrier, blob).data("behind", "5678").build();
}

inline std::string machoFile(const std::string& blob, bool is64, bool bigEndian, bool object) {
  MachOBuilder file;
  file.is64 = is64;
  file.bigEndian = bigEndian;
  if (!is64) file.cpuType = bigEndian ? 18 : 12;
  if (object) file.fileType = 1;
  return file.function("_run").data("_before", "1234").data("_"s + kCarrier, blob).data("_behind", "5678").build();
}

inline std::string coffFile(const std::string& blob, bool big) {
  CoffBuilder coff;
  coff.big = big;
  coff.sections = {{".text", 0x60000020, "code"}, {".rdata", 0x40000040, "1234" + blob + "5678"}};
  coff.symbols = {{kCarrier, 4, 2}, {"run", 0, 1, 0x20}};
  return coff.build();
}

inline std::string linked(const std::vector<std::string>& data, const std::vector<std::string>& sections,
                          uint32_t address) {
  std::vector<std::string> all = {wasm::section(5, wasm::list({wasm::memory(2)})),
                                  wasm::section(6, wasm::list({wasm::global(address)})),
                                  wasm::section(7, wasm::list({wasm::exported(kCarrier, 3, 0)}))};
  all.insert(all.end(), sections.begin(), sections.end());
  all.push_back(wasm::section(11, wasm::list(data)));
  all.push_back(wasm::custom("producers", "behind"));
  return wasm::module(all);
}

inline std::string wasmObject(const std::string& blob) {
  return wasm::module(
      {wasm::section(2, wasm::list({wasm::importMemory(1)})),
       wasm::section(11, wasm::list({wasm::dataAt(0, "1234" + blob + "5678")})),
       wasm::custom("linking", wasm::leb(2) + wasm::section(5, wasm::list({wasm::segmentInfo(".rodata")})) +
                                   wasm::section(8, wasm::list({wasm::functionSymbol("run", 0x10, 0),
                                                                wasm::dataSymbol("first", 0, 0, 0, 4),
                                                                wasm::dataSymbol(kCarrier, 0, 0, 4, blob.size())})))});
}

inline std::string sourceFile(const std::string& blob) {
  std::string text = "extern const unsigned char "s + kCarrier + "[];\nconst unsigned char " + kCarrier + "[" +
                     std::to_string(blob.size()) + "] = {\n  ";
  for (std::size_t i = 0; i < blob.size(); ++i) {
    char item[8];
    std::snprintf(item, sizeof item, "0x%02x", static_cast<unsigned>(static_cast<unsigned char>(blob[i])));
    text += (i == 0 ? "" : i % 20 == 0 ? ",\n  " : ",") + std::string(item);
  }
  return text + "\n};\nTVM_DLL int run(void) { return 0; }\n";
}

/// Segments as a linker leaves them that cuts every run of nine zeros out.
inline std::vector<std::string> packed(const std::string& data, uint32_t address) {
  const std::string run(9, '\0');
  std::vector<std::string> segments;
  for (std::size_t at = data.find_first_not_of('\0'); at < data.size();) {
    const std::size_t end = std::min(data.find(run, at), data.size());
    segments.push_back(wasm::dataAt(address + static_cast<uint32_t>(at), data.substr(at, end - at)));
    at = std::min(data.find_first_not_of('\0', end), data.size());
  }
  return segments;
}

} // namespace blobscope::test::plan_files
