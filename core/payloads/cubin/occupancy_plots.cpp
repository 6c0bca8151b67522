#include "core/payloads/cubin/occupancy_plots.h"

#include "core/base/text.h"
#include "core/payloads/cubin/occupancy.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

using view::PlotPage;

constexpr uint32_t kWarpThreads = 32;
constexpr uint64_t kSharedStep = 1024;

PlotPage::Plot emptyPlot(std::string title, const KernelUse& use, PlotPage::Axis x) {
  PlotPage::Plot plot;
  plot.title = std::move(title);
  plot.subject = use.name;
  plot.legend = "limited by";
  plot.x = std::move(x);
  plot.y = {"occupancy", "%", {}, 0.0, 100.0, 25};
  return plot;
}

/// One series per limit; a block that does not start has no point.
void addPoint(PlotPage::Plot& plot, PlotPage::Draw draw, double x, const Occupancy& occupancy) {
  if (plot.series.empty())
    for (const std::string_view limit : kOccupancyLimits) plot.series.push_back({std::string(limit), draw, {}});
  if (occupancy.blocks == 0) return;
  const auto series =
      std::ranges::find(plot.series, occupancy.limitedBy, [](const auto& one) { return std::string_view(one.name); });
  if (series == plot.series.end()) return;
  series->points.push_back({x, static_cast<double>(percentOf(occupancy)), countText(occupancy.blocks, "block"), 1, {}});
}

std::string presentText(std::string value, const std::optional<Occupancy>& occupancy) {
  if (!occupancy || occupancy->blocks == 0) return "now " + value + ": does not start";
  return "now " + value + ": " + std::to_string(percentOf(*occupancy)) + " %, " +
         countText(occupancy->blocks, "block") + " per SM";
}

PlotPage::Plot blockPlot(uint32_t sm, const KernelUse& use) {
  PlotPage::Plot plot = emptyPlot("Occupancy by block size", use, {"threads per block", "", {}, 0.0, 1024.0, 128});
  uint32_t best = 0, bestAt = 0, largest = 0;
  std::string_view stop;
  for (uint32_t threads = kWarpThreads; threads <= kMaxBlockThreads; threads += kWarpThreads) {
    const auto estimate = estimateOccupancy(sm, use.registers, use.sharedBytes, threads);
    if (!estimate) continue;
    addPoint(plot, PlotPage::Draw::Bars, threads, *estimate);
    if (estimate->blocks == 0) {
      if (stop.empty()) stop = estimate->limitedBy;
      continue;
    }
    largest = threads;
    if (percentOf(*estimate) <= best) continue;
    best = percentOf(*estimate);
    bestAt = threads;
  }
  plot.note = best == 0 ? "No block of this kernel starts: not enough " + std::string(stop) + "."
                        : "Best: " + std::to_string(best) + " %, first at " + groupedText(bestAt) + " threads.";
  if (best > 0 && !stop.empty())
    plot.note +=
        " Above " + groupedText(largest) + " threads, a block does not start: not enough " + std::string(stop) + ".";
  if (use.threads)
    plot.lines.push_back(
        {true, static_cast<double>(*use.threads),
         presentText(groupedText(*use.threads), estimateOccupancy(sm, use.registers, use.sharedBytes, *use.threads)),
         true});
  return plot;
}

PlotPage::Plot registerPlot(uint32_t sm, const KernelUse& use) {
  const uint32_t threads = use.threads.value_or(kAssumedThreads);
  PlotPage::Plot plot = emptyPlot("Occupancy by registers", use, {"registers per thread", "", {}, 0.0, 256.0, 32});
  plot.note = "For blocks of " + groupedText(threads) + " threads.";
  for (uint32_t registers = 8; registers <= 256; registers += 8)
    if (const auto estimate = estimateOccupancy(sm, std::min(registers, kMaxRegisters), use.sharedBytes, threads))
      addPoint(plot, PlotPage::Draw::Bars, registers, *estimate);
  plot.lines.push_back(
      {true, static_cast<double>(use.registers),
       presentText(std::to_string(use.registers), estimateOccupancy(sm, use.registers, use.sharedBytes, threads)),
       true});
  return plot;
}

PlotPage::Plot sharedPlot(uint32_t sm, const KernelUse& use, uint64_t most) {
  const uint32_t threads = use.threads.value_or(kAssumedThreads);
  PlotPage::Plot plot =
      emptyPlot("Occupancy by shared memory", use, {"shared memory per block", "KiB", {}, 0.0, std::nullopt, 4});
  plot.note = "For blocks of " + groupedText(threads) + " threads.";
  const uint64_t step = std::max<uint64_t>(most / 32 / kSharedStep, 1) * kSharedStep;
  for (uint64_t bytes = step; bytes <= most; bytes += step)
    if (const auto estimate = estimateOccupancy(sm, use.registers, bytes, threads))
      addPoint(plot, PlotPage::Draw::Bars, static_cast<double>(bytes) / 1024, *estimate);
  plot.lines.push_back({true, static_cast<double>(use.sharedBytes) / 1024,
                        presentText(groupedText(use.sharedBytes) + " bytes",
                                    estimateOccupancy(sm, use.registers, use.sharedBytes, threads)),
                        true});
  return plot;
}

} // namespace

view::PlotPage occupancyPlots(uint32_t sm, const KernelUse& use) {
  const Multiprocessor* const device = findMultiprocessor(sm);
  if (!device) return {};
  return {{blockPlot(sm, use), registerPlot(sm, use), sharedPlot(sm, use, device->sharedBytes)}};
}

} // namespace blobscope::payloads
