#pragma once

#include "core/view/calls_page.h"
#include "core/view/plan_page.h"

#include <memory>
#include <string>
#include <utility>

/// A memory plan and a call tree for tests of what shows them.
namespace blobscope::test {

/// Two functions; `n` gives the first storage n × 64 bytes, the size of the second one is not known. Another function
/// than these two is an error.
inline view::PlanPagePtr planExample(const view::PlanPage::Choice& choice = {}) {
  using Kind = view::PlanPage::Kind;
  auto page = std::make_shared<view::PlanPage>();
  page->functions = {"main", "other"};
  page->function = choice.function.empty() ? "main" : choice.function;
  const auto given = choice.sizes.find("n");
  const int64_t n = given == choice.sizes.end() ? 16 : given->second;
  page->symbols = {{"n", "extent 0 of x", n, 1, 64, true}, {"shape[1]", "computed by shape_func", {}, 1, 128, false}};
  const auto bytes = static_cast<uint64_t>(n) * 64;
  page->parts = {{Kind::Weights, "Weights", "2 tensors, from outside", 4'096},
                 {Kind::Cache, "KV cache", "no function of the model makes it", {}},
                 {Kind::InUse, "Activations in use", "most in use at instruction 3", bytes / 2},
                 {Kind::Reserved, "Reserved beyond that", "", bytes - bytes / 2}};
  page->steps = {{0, 0, 0}, {2, bytes, 0}, {3, bytes, bytes / 2}, {8, 0, 0}};
  page->storages = {{"storage 0", "matmul <1>", "n × 64", bytes, false, false, 2, 8, {{3, 6, bytes / 2}}},
                    {"storage 1", "", "shape[1]", {}, false, false, 4, 9, {{5, 6, 0}}}};
  page->instructions = 10;
  page->tensors = 2;
  page->peak = 4'096 + bytes;
  page->peakAt = 2;
  page->reserved = page->total = bytes;
  page->mostInUse = bytes / 2;
  page->mostInUseAt = 3;
  page->complete = false;
  page->notes = {"Nothing was run."};
  page->choose = [](const view::PlanPage::Choice& other, Monitor&) -> Result<view::PlanPagePtr> {
    if (other.function != "main" && other.function != "other")
      return Error(DiagnosticId::RunProgram, {{"reason", "'" + other.function + "' has no plan"}});
    return planExample(other);
  };
  return page;
}

/// main calls conv twice and helper once; conv launches a kernel, helper calls itself.
inline view::CallsPagePtr callsExample() {
  using Kind = view::CallsPage::Kind;
  using Count = view::CallsPage::Count;
  auto page = std::make_shared<view::CallsPage>();
  const Ref module = Ref::moduleAt({}, 0);
  const auto add = [&](std::string name, Kind kind, uint32_t depth, uint64_t calls, uint64_t launches) -> auto& {
    view::CallsPage::Row row;
    row.name = std::move(name);
    row.kind = kind;
    row.depth = depth;
    row.calls = calls;
    row.launches = launches;
    page->rows.push_back(std::move(row));
    return page->rows.back();
  };
  auto& main = add("main", Kind::Function, 0, 1, 2);
  main.ref = module.part(PartKind::Function, "main");
  main.flop = 1'000;
  auto& conv = add("conv<1>", Kind::Packed, 1, 2, 2);
  conv.flop = 900;
  conv.first = 4;
  auto& kernel = add("conv_kernel", Kind::Kernel, 2, 2, 2);
  kernel.flop = 900;
  kernel.bytes = 128;
  auto& helper = add("helper", Kind::Function, 1, 1, 0);
  helper.flop = 100;
  helper.count = Count::AtLeast;
  add("helper", Kind::Function, 2, 1, 0).recursive = true;
  add("functions of the runtime", Kind::Builtins, 1, 7, 0);
  add("second", Kind::Function, 0, 1, 0);
  page->summary = "3 functions of the model; counted in the bytecode, nothing was run";
  page->sizes = "n = 16";
  return page;
}

} // namespace blobscope::test
