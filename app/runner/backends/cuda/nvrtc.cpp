#include "app/runner/backends/cuda/nvrtc.h"

#include "app/runner/backends/cuda/fetched.h"
#include "app/runner/backends/host/memory.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/process/toolkit_library.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace blobscope::runner::cuda {
namespace {

namespace fs = std::filesystem;

/// Returns folders with the headers that belong to a library: next to its lib folder, or in the package of the headers.
std::vector<std::string> includesOf(const std::string& library) {
  std::vector<std::string> found;
  const auto add = [&](const fs::path& folder) {
    std::error_code failure;
    if (!fs::is_regular_file(folder / "cuda_fp16.h", failure)) return;
    found.push_back(pathText(folder));
    // Sources of 0.27 include <cuda/std/cstdint>, which is one folder deeper since CUDA 13.
    if (fs::is_directory(folder / "cccl", failure)) found.push_back(pathText(folder / "cccl"));
  };
  if (library.find('/') != std::string::npos) {
    const fs::path base = pathFrom(library).parent_path().parent_path();
    add(base / "include");
    for (const fs::path& part : process::entriesOf(base.parent_path(), "cu")) add(part / "include");
  }
  if (found.empty()) add("/usr/local/cuda/include");
  if (found.size() > 8) found.resize(8);
  return found;
}

Error refused(std::string_view name, std::string_view reason) {
  return {DiagnosticId::RunBuild, {arg("kind", "CUDA"), arg("name", name), arg("reason", reason)}};
}

/// Owns a program and destroys it.
class ProgramOwner {
public:
  explicit ProgramOwner(const NvrtcApi& api) : m_api(api) {}
  ProgramOwner(const ProgramOwner&) = delete;
  ProgramOwner& operator=(const ProgramOwner&) = delete;
  ~ProgramOwner() {
    if (program) m_api.nvrtcDestroyProgram(&program);
  }
  Program program = nullptr;

private:
  const NvrtcApi& m_api;
};

} // namespace

Result<Nvrtc> Nvrtc::open(const NvrtcSearch& search) {
  std::string places;
  for (const std::string& file : process::toolkitLibraryFiles("nvrtc", search)) {
    std::string reason;
    const auto library = DynamicLibrary::open(file, reason);
    places += (places.empty() ? "" : ", ") + file;
    if (!library) continue;
    Nvrtc found;
    bool whole = true;
#define BLOBSCOPE_NVRTC_FIND(name, ...) found.m_api.name = library->function<int (*)(__VA_ARGS__)>(#name);
#define BLOBSCOPE_NVRTC_NEED(name, ...)                                                                                \
  BLOBSCOPE_NVRTC_FIND(name, __VA_ARGS__)                                                                              \
  whole = whole && found.m_api.name;
    BLOBSCOPE_NVRTC_REQUIRED(BLOBSCOPE_NVRTC_NEED)
    BLOBSCOPE_NVRTC_OPTIONAL(BLOBSCOPE_NVRTC_FIND)
#undef BLOBSCOPE_NVRTC_NEED
#undef BLOBSCOPE_NVRTC_FIND
    if (!whole || found.m_api.nvrtcVersion(&found.m_major, &found.m_minor) != 0) continue;
    found.m_path = file;
    found.m_includes = includesOf(file);
    return found;
  }
  return Error(DiagnosticId::ToolMissing, {arg("tool", "NVRTC, which compiles CUDA C,"),
                                           arg("source", "the CUDA toolkit"), arg("places", places)});
}

std::string Nvrtc::text() const {
  return "NVRTC " + std::to_string(m_major) + '.' + std::to_string(m_minor) + " (" + m_path + ')';
}

Result<Compiled> Nvrtc::compile(std::string_view source, std::string_view name, uint32_t sm,
                                const std::vector<std::string>& more) const {
  // --- 1. The architecture: machine code for exactly that device, otherwise PTX for the largest smaller one. ---
  uint32_t best = 0;
  int count = 0;
  if (m_api.nvrtcGetNumSupportedArchs && m_api.nvrtcGetSupportedArchs && m_api.nvrtcGetNumSupportedArchs(&count) == 0 &&
      count > 0 && count < 1024) {
    std::vector<int> known(static_cast<std::size_t>(count));
    if (m_api.nvrtcGetSupportedArchs(known.data()) == 0)
      for (const int number : known)
        if (number > 0 && static_cast<uint32_t>(number) <= sm) best = std::max(best, static_cast<uint32_t>(number));
    if (best == 0) return refused(name, text() + " does not support sm_" + std::to_string(sm) + " or any lower number");
  } else {
    best = sm;
  }
  const bool machineCode = best == sm && m_api.nvrtcGetCUBIN && m_api.nvrtcGetCUBINSize;

  // --- 2. Compile. ---
  std::vector<std::string> options = {(machineCode ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") +
                                      std::to_string(best)};
  options.insert(options.end(), more.begin(), more.end());
  BLOBSCOPE_TRY(built, build(source, name, options, machineCode));
  if (built.image) return Compiled{std::move(*built.image), logText(built.log)};
  const std::string line = logLine(built.log);
  return refused(name, line.empty() ? "an error without a log" : line);
}

Result<CompilerOutput> Nvrtc::build(std::string_view source, std::string_view name,
                                    const std::vector<std::string>& options, bool machineCode) const {
  std::vector<std::string> all = options;
  for (const std::string& folder : m_includes) all.push_back("-I" + folder);
  std::vector<const char*> pointers;
  for (const std::string& option : all) pointers.push_back(option.c_str());
  const std::string text(source.substr(0, source.find('\0')));
  ProgramOwner owner(m_api);
  if (m_api.nvrtcCreateProgram(&owner.program, text.c_str(), "module.cu", 0, nullptr, nullptr) != 0)
    return refused(name, this->text() + " does not accept the source");
  CompilerOutput out;
  out.compiler = "NVRTC " + std::to_string(m_major) + '.' + std::to_string(m_minor);
  const int status = m_api.nvrtcCompileProgram(owner.program, static_cast<int>(pointers.size()), pointers.data());
  out.log = fetched(m_api.nvrtcGetProgramLogSize, m_api.nvrtcGetProgramLog, owner.program).value_or("");
  out.log = out.log.substr(0, out.log.find('\0'));
  if (status != 0) {
    if (out.log.empty()) out.log = "error " + std::to_string(status) + " without a log";
    return out;
  }
  const auto image = machineCode ? fetched(m_api.nvrtcGetCUBINSize, m_api.nvrtcGetCUBIN, owner.program)
                                 : fetched(m_api.nvrtcGetPTXSize, m_api.nvrtcGetPTX, owner.program);
  if (!image || image->empty()) return refused(name, this->text() + " returned no image");
  // PTX is a text with a zero at its end.
  out.image = Bytes::copyOf(machineCode ? *image : image->substr(0, image->find('\0')));
  return out;
}

} // namespace blobscope::runner::cuda
