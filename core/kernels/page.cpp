#include "core/kernels/page.h"

#include "core/base/text.h"
#include "core/kernels/table.h"
#include "core/payloads/cubin/occupancy_plots.h"
#include "core/targets/facts_folder.h"
#include "core/view/page_id.h"
#include "core/view/table_extras.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace blobscope::kernels {
namespace {

using view::PlotPage;
using KernelsPtr = std::shared_ptr<const Kernels>;
using TablePtr = std::shared_ptr<const KernelTable>;

std::size_t limitOf(const payloads::Occupancy& occupancy) {
  const auto& limits = payloads::kOccupancyLimits;
  return static_cast<std::size_t>(std::ranges::find(limits, occupancy.limitedBy) - limits.begin()) % limits.size();
}

/// Registers against block size; kernels with the same numbers are one point.
PlotPage overviewPlots(const KernelTable& table) {
  PlotPage::Plot plot;
  plot.title = "Registers and block size";
  plot.legend = "limited by";
  plot.x = {"threads per block", "", PlotPage::Scale::Log2, 32.0, 1024.0};
  plot.y = {"registers per thread", "", {}, 0.0, std::nullopt, 32};
  for (const std::string_view limit : payloads::kOccupancyLimits)
    plot.series.push_back({std::string(limit), PlotPage::Draw::Points, {}});
  using Place = std::tuple<std::size_t, uint64_t, uint32_t>; // limit, threads, registers
  std::map<Place, std::pair<uint64_t, uint64_t>> places;     // the number of kernels, and the first one
  uint64_t hidden = 0;
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    const auto estimate = table.occupancy(row);
    const modules::KernelCode& code = table.code(row);
    if (!estimate) {
      ++hidden;
      continue;
    }
    auto& [count, first] = places[{limitOf(*estimate), *code.blockThreads, *code.registers}];
    if (count++ == 0) first = row;
  }
  for (const auto& [place, kernels] : places) {
    const auto& [limit, threads, registers] = place;
    const auto& [count, first] = kernels;
    plot.series[limit].points.push_back(
        {static_cast<double>(threads), static_cast<double>(registers),
         count == 1 ? table.cell(first, KernelTable::kName) : countText(count, "kernel"), count,
         table.target(first, {})});
  }
  if (places.empty()) return {};
  for (const uint32_t percent : {25U, 50U, 75U, 100U})
    if (const auto most = payloads::mostRegisters(*table.sm(), percent))
      plot.lines.push_back({false, static_cast<double>(*most), std::to_string(percent) + " %"});
  plot.note = "Dashed: the most registers for this occupancy.";
  if (hidden > 0)
    plot.note += " " + countText(hidden, "kernel") + " without known registers or block size " +
                 (hidden == 1 ? "is" : "are") + " not shown.";
  return {{std::move(plot)}};
}

std::string summaryOf(const KernelTable& table) {
  uint64_t code = 0, low = 0;
  uint32_t registers = 0;
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    const modules::KernelCode& known = table.code(row);
    code = addSaturated(code, known.codeBytes.value_or(0));
    registers = std::max(registers, known.registers.value_or(0));
    if (const auto estimate = table.occupancy(row); estimate && payloads::percentOf(*estimate) < kLowOccupancy) ++low;
  }
  std::string out = countText(table.rowCount(), "kernel") + " in " +
                    countText(table.kernels().modules.size(), "module") +
                    (code == 0 ? "" : " · " + countText(code, "byte") + " of code");
  if (registers > 0) out += " · most registers " + std::to_string(registers);
  if (table.sm()) out += " · " + groupedText(low) + " below " + std::to_string(kLowOccupancy) + " % occupancy";
  return out;
}

/// GPUs for which occupancy can be estimated, by architecture.
std::vector<view::TableExtras::Option> gpuOptions() {
  std::map<uint32_t, std::string> names;
  if (const auto facts = targets::loadUsableFacts())
    for (const targets::GpuArchitecture& gpu : (*facts)->gpus())
      if (!gpu.example.empty()) names[gpu.sm] = gpu.example;
  std::vector<view::TableExtras::Option> out;
  for (const uint32_t sm : payloads::multiprocessors()) {
    const std::string value = "sm_" + std::to_string(sm);
    const auto name = names.find(sm);
    out.push_back({value, name == names.end() ? value : value + " · " + name->second});
  }
  return out;
}

/// The GPU of the newest image, when its limits are known; else the first one that runs such images.
std::optional<uint32_t> firstGpu(const Kernels& kernels) {
  const std::vector<uint32_t> own = kernels.architectures(), known = payloads::multiprocessors();
  if (own.empty()) return std::nullopt;
  for (auto sm = own.rbegin(); sm != own.rend(); ++sm)
    if (payloads::findMultiprocessor(*sm)) return *sm;
  const auto next = std::ranges::lower_bound(known, own.back());
  return next == known.end() ? known.back() : *next;
}

std::optional<uint32_t> smOf(std::string_view choice) {
  if (!choice.starts_with("sm_")) return std::nullopt;
  const auto number = parseNumber(choice.substr(3));
  return number && *number < 10'000 ? std::optional(static_cast<uint32_t>(*number)) : std::nullopt;
}

PlotPage plotsOf(const KernelTable& table, uint64_t row) {
  const modules::KernelCode& code = table.code(row);
  if (!table.sm() || !code.registers || !code.found) return {};
  payloads::KernelUse use{table.cell(row, KernelTable::kName), *code.registers, code.sharedBytes.value_or(0), {}};
  if (code.blockThreads && *code.blockThreads <= payloads::kMaxBlockThreads)
    use.threads = static_cast<uint32_t>(*code.blockThreads);
  return payloads::occupancyPlots(*table.sm(), use);
}

std::vector<view::TableExtras::Grouping> groupingsOf(const KernelsPtr& kernels) {
  return {{"prefix", [kernels](uint64_t row) { return escaped(kernels->list[row].prefix); }},
          {"module", [kernels](uint64_t row) { return kernels->modules[kernels->list[row].module].name; }},
          {"caller", [kernels](uint64_t row) { return kernels->callerName(row); }}};
}

view::TablePage tableFor(const KernelsPtr& kernels, std::optional<uint32_t> sm) {
  const auto table = std::make_shared<const KernelTable>(kernels, sm);
  const auto extras = std::make_shared<view::TableExtras>();
  extras->groupings = groupingsOf(kernels);
  extras->grouping = 0;
  extras->thing = "kernel";
  extras->sum = KernelTable::kCode;
  extras->sorted = KernelTable::kCode;
  extras->summary = summaryOf(*table);
  extras->summaryNote = "Launch count: calls in the code of the callers, each function run once and loops not counted.";
  if (!sm) return {table, false, extras};
  extras->summaryNote += " Occupancy: an estimate without dynamic shared memory.";
  extras->choiceTitle = "GPU";
  extras->choice = "sm_" + std::to_string(*sm);
  extras->options = gpuOptions();
  if (const std::vector<std::string> others = table->otherArchitectures(); !others.empty()) {
    extras->note =
        others.size() == 1 ? "image is for " + others[0] + ": estimate" : "images are for other GPUs: estimate";
  }
  extras->plots = overviewPlots(*table);
  extras->plotsOf = [table](uint64_t row) { return plotsOf(*table, row); };
  extras->pointOf = [table](uint64_t row) -> std::optional<PlotPage::Point> {
    if (!table->occupancy(row)) return std::nullopt;
    const modules::KernelCode& code = table->code(row);
    return PlotPage::Point{static_cast<double>(*code.blockThreads), static_cast<double>(*code.registers),
                           table->cell(row, KernelTable::kName)};
  };
  extras->choose = [kernels](const std::string& choice, Monitor&) -> Result<view::TablePage> {
    const auto other = smOf(choice);
    if (!other || !payloads::findMultiprocessor(*other)) {
      std::string known;
      for (const uint32_t number : payloads::multiprocessors())
        known += (known.empty() ? "sm_" : ", sm_") + std::to_string(number);
      return Error(DiagnosticId::PageSetting,
                   {arg("choice", choice), arg("page", view::page_id::kKernels), {"known", known}});
    }
    return tableFor(kernels, other);
  };
  return {table, false, extras};
}

} // namespace

void addPage(const library::PackagePtr& package, const Ref& ref, view::PageList& pages) {
  if (!hasKernels(package, ref)) return;
  for (view::Page& page : pages) // of the image that the module contains
    if (page.name == view::page_id::kKernels) page.name = "Image kernels";
  const auto make = [package, ref](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(kernels, computeKernels(package, ref, monitor));
    const auto all = std::make_shared<const Kernels>(std::move(kernels));
    return view::Page{view::page_id::kKernels, tableFor(all, firstGpu(*all))};
  };
  auto place = std::ranges::find(pages, std::string_view(view::page_id::kFunctions), &view::Page::name);
  if (place != pages.end())
    ++place;
  else
    place = pages.begin() + std::min<std::ptrdiff_t>(1, std::ssize(pages));
  pages.insert(place, {view::page_id::kKernels, view::DeferredPage{"table", make}});
}

} // namespace blobscope::kernels
