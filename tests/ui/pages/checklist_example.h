#pragma once

#include "core/view/page.h"

#include <string>
#include <utility>
#include <vector>

namespace blobscope::test {

/// A page about one of 24 releases: those before 0.22 do not find the modules, 0.22 fails later, 0.23 to 0.25 run the
/// library, the last ones crash. Choosing v9 fails, as a release that does not exist.
inline view::ChecklistPage checklistExample(view::ChecklistPage::Choice choice = {"v0.27", "sm_90", "580"}) {
  using Checklist = view::ChecklistPage;
  using State = Checklist::State;
  Checklist page;
  page.sentence = choice.target + " opens this library and crashes at the first kernel call.";
  page.detail = "v0.23 – v0.25 run it.";
  page.state = State::Crashes;
  page.stripTitle = "All releases";
  page.stripNote = "24 checked, by reading only";
  for (int minor = 6; minor <= 27; ++minor) {
    const std::string label = "0." + std::to_string(minor);
    Checklist::Cell cell = {label, "v" + label, State::Good, 0, "runs the library.", ""};
    if (minor < 22) {
      cell.state = State::Empty;
      cell.sentence = "opens the library without its modules.";
    } else if (minor == 22) {
      cell = {label,
              "v0.22",
              State::Later,
              8,
              "loads; then prefill fails at step 8, instruction 41. decode and embed are not affected.",
              "Mismatched number of arguments when calling: `vm.builtin.alloc_tensor(0: vm.Storage, 1: int, 2: "
              "ffi.Shape, 3: DataType) -> ffi.Tensor`. Expected 4 but got 5 arguments"};
    } else if (minor > 25) {
      cell.state = State::Crashes;
      cell.step = 3;
      cell.sentence = "opens the library and crashes at the first kernel call.";
    }
    page.cells.push_back(std::move(cell));
  }
  page.cells.push_back({"tirx 0.1.0a4", "tirx-0.1.0a4", State::Fails, 5, "has no loader for relax.VMExecutable.", ""});
  page.stepsTitle = "What this target must have";
  page.met = 352;
  page.missing = 1;
  page.unknown = 1;
  page.steps = {
      {1, "File", "ELF, x86_64, glibc 2.28 or later; libstdc++.so.6, libm.so.6", State::Good, {}},
      {2, "Undefined symbols", "14 of 14: C library 12, C++ library 2", State::Good, {}},
      {3,
       "Slots",
       "6 of 7 filled by v0.27",
       State::Crashes,
       {{State::Crashes,
         "slot __TVMBackendGetFuncFromEnv is not filled by v0.27: the first call of fused_matmul ends in a "
         "segmentation fault (44 host functions call through it)",
         true,
         "",
         {{"Use v0.23 – v0.25", std::nullopt, "v0.25", false},
          {"Export again with v0.26 or later", std::nullopt, "", false},
          {"Slot at 0x382040", Ref::bytesAt(0x382040, 8), "", false},
          {"44 calls", Ref::named(Ref::Kind::Symbol, "__TVMBackendGetFuncFromEnv"), "", false}}}}},
      {4, "Carrier", "__tvm_ffi__library_bin at 0x76c6a", State::Good, {}},
      {5,
       "Loaders",
       "relax.VMExecutable; cuda only with its side library",
       State::Unknown,
       {{State::Unknown,
         "Library binary was created using {cuda} but a loader of that name is not registered. Make sure to have "
         "runtime that registers ffi.Module.load_from_bytes.cuda",
         true,
         "Printed only if libtvm_runtime_cuda.so is not beside libtvm_runtime.so. A release does not tell.",
         {{"choose the runtime file", std::nullopt, "", true}}}}},
      {6, "Payload", "VM magic …151D, version 0.14, constant pool 2025b", State::Good, {}},
      {7, "VM and its functions", "31 of 31 names found", State::Good, {}},
      {8, "Calls", "186 calls, all argument counts fit; device API cuda", State::Good, {}},
      {9, "Kernels", "67 of 67 in the image for sm_90", State::NotNeeded, {}}};
  Checklist::Table gpus = {"GPUs", {"GPU", "Runs", "Driver from"}, {}, ""};
  for (const char* const gpu : {"sm_70", "sm_75"}) gpus.rows.push_back({{gpu, "not", "–"}, State::Fails, gpu});
  for (const char* const gpu : {"sm_80", "sm_86", "sm_89", "sm_90"})
    gpus.rows.push_back({{gpu, "natively", "525"}, State::Good, gpu});
  gpus.rows.push_back({{"sm_120", "after compiling", "570"}, State::Empty, "sm_120"});
  page.tables = {gpus,
                 {"Limits on sm_90",
                  {},
                  {{{"Shared memory", "68 of 227 KiB"}, State::Good, ""}, {{"Block", "512 of 1,024"}, State::Good, ""}},
                  "Compiling PTX takes some seconds at the first call on a new GPU; the driver keeps the result."}};
  for (const Checklist::Cell& cell : page.cells) page.targets.push_back({cell.choice, "Release " + cell.choice});
  page.devices = {{"", "No device"}, {"sm_90", "sm_90 · NVIDIA H100"}, {"sm_120", "sm_120 · NVIDIA RTX 5090"}};
  page.drivers = {{"580", "Driver 580"}, {"525", "Driver 525"}};
  page.choice = std::move(choice);
  page.choose = [](const Checklist::Choice& next, Monitor&) -> Result<Checklist> {
    if (next.target == "v9") return Error(DiagnosticId::FileNotFound, {arg("path", "v9")});
    return checklistExample(next);
  };
  return page;
}

} // namespace blobscope::test
