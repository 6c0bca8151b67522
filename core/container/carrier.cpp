#include "core/container/carrier.h"

#include "core/base/limits.h"

#include <algorithm>
#include <array>

namespace blobscope::container {
namespace {

// No spelling is a suffix of another one, so their order does not matter.
constexpr std::array<std::string_view, 3> kNames = {"__tvm_dev_mblob", "__tvm_ffi_library_bin",
                                                    "__tvm_ffi__library_bin"};

} // namespace

std::string_view carrierText(CarrierName name) { return kNames[static_cast<std::size_t>(name)]; }

std::optional<CarrierMatch> matchCarrier(std::string_view symbol) {
  // Nearly every symbol fails here, so half a million names cost one comparison each.
  if (symbol.size() < kNames[0].size() || (symbol.back() != 'b' && symbol.back() != 'n')) return std::nullopt;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (symbol.ends_with(kNames[i]))
      return CarrierMatch{static_cast<CarrierName>(i), symbol.substr(0, symbol.size() - kNames[i].size())};
  return std::nullopt;
}

bool isFunctionName(SymbolType type, std::string_view symbol) {
  return type == SymbolType::Function && symbol.starts_with("__tvm_ffi_") &&
         symbol != carrierText(CarrierName::FfiLibraryBin2);
}

Result<std::vector<Carrier>> findCarriers(const Image& image, std::vector<Diagnostic>& diagnostics, Monitor& monitor) {
  std::vector<Carrier> found;
  for (uint64_t i = 0; i < image.symbols.size(); ++i) {
    if (i % 4096 == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("looking for carriers", i, image.symbols.size());
    }
    const Symbol& symbol = image.symbols[i];
    const auto match = matchCarrier(image.plainName(symbol));
    if (!match || !symbol.defined || isFunctionName(symbol.type, image.plainName(symbol))) continue;
    const auto known = [&](const Carrier& carrier) {
      return carrier.symbol == image.plainName(symbol) ||
             (image.kind != Kind::Object && carrier.address == symbol.value);
    };
    if (std::any_of(found.begin(), found.end(), known)) continue;

    const Ref place = Ref::named(Ref::Kind::Symbol, symbol.name);
    const auto isReported = [&](const Diagnostic& diagnostic) { return diagnostic.place == place; };
    const auto report = [&](DiagnosticId id, std::vector<Argument> arguments) {
      // Both symbol tables contain it, and a crafted file can contain it a million times.
      if (diagnostics.size() <= limits::kDiagnostics &&
          std::none_of(diagnostics.begin(), diagnostics.end(), isReported))
        diagnostics.push_back({id, place, std::move(arguments)});
    };
    if (symbol.type == SymbolType::Function || symbol.type == SymbolType::Tls) {
      report(DiagnosticId::CarrierType, {arg("symbol", symbol.name), arg("type", symbolTypeName(symbol.type))});
      continue;
    }
    const auto bytes = image.findBytesOf(symbol);
    if (!bytes) {
      report(DiagnosticId::CarrierNoBytes, {arg("symbol", symbol.name), hexArg("address", symbol.value)});
      continue;
    }
    if (found.size() == limits::kCarriers) {
      diagnostics.push_back(
          {DiagnosticId::FileLimit,
           place,
           {arg("what", "carriers"), arg("count", found.size() + 1), arg("limit", limits::kCarriers)}});
      break;
    }
    Carrier carrier;
    carrier.name = match->name;
    carrier.prefix = match->prefix;
    carrier.symbol = image.plainName(symbol);
    carrier.address = symbol.value;
    carrier.available = *bytes;
    if (symbol.size > 0) carrier.symbolSize = symbol.size;
    if (const Section* const section = image.findSectionOf(symbol)) carrier.section = section->name;
    found.push_back(std::move(carrier));
  }
  return found;
}

} // namespace blobscope::container
