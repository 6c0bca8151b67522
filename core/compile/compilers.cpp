#include "core/compile/compilers.h"

#include "core/base/path_text.h"
#include "core/payloads/spirv/spirv_tools.h"
#include "core/process/toolkit_library.h"

#include <algorithm>
#include <array>

namespace blobscope::compile {
namespace {

/// The compilers in the order in which they are preferred.
struct Row {
  Compiler compiler;
  Language language;
  Kind kind;
};
constexpr std::string_view kNvcc = "the CUDA toolkit and with the Python package nvidia-cuda-nvcc";
constexpr std::array<Row, 9> kRows = {{
    {{"ptxas", "ptxas", "compiling PTX to machine code", kNvcc}, Language::Ptx, Kind::Ptxas},
    {{"nvjitlink", "nvJitLink", "compiling PTX to machine code",
      "the CUDA toolkit and with the Python package nvidia-nvjitlink"},
     Language::Ptx,
     Kind::NvJitLink},
    {{"nvrtc", "NVRTC", "compiling CUDA C++", "the CUDA toolkit and with the Python package nvidia-cuda-nvrtc"},
     Language::CudaCpp,
     Kind::Nvrtc},
    {{"nvcc", "nvcc", "compiling CUDA C++", kNvcc}, Language::CudaCpp, Kind::Nvcc},
    {{"spirv-as", "SPIRV-Tools", "assembling SPIR-V", "a build of Blobscope with SPIRV-Tools"},
     Language::SpirvAssembly,
     Kind::SpirvTools},
    {{"opencl", "the OpenCL driver", "checking OpenCL C",
      "the driver of a GPU, or with the Debian package pocl-opencl-icd"},
     Language::OpenClC,
     Kind::OpenClDriver},
    {{"clang", "clang", "checking OpenCL C", "the Debian package clang"}, Language::OpenClC, Kind::Clang},
    {{"naga", "naga", "checking WGSL", "the crate naga-cli of wgpu"}, Language::Wgsl, Kind::Naga},
    {{"tint", "Tint", "checking WGSL", "Dawn"}, Language::Wgsl, Kind::Tint},
}};

const Row* rowOf(std::string_view name) {
  const auto found = std::ranges::find_if(kRows, [&](const Row& row) { return row.compiler.name == name; });
  return found == kRows.end() ? nullptr : &*found;
}

/// Whether it is a program, and not a library or a part of Blobscope.
bool isProgram(Kind kind) {
  switch (kind) {
  case Kind::Ptxas:
  case Kind::Nvcc:
  case Kind::Clang:
  case Kind::Naga:
  case Kind::Tint: return true;
  case Kind::Nvrtc:
  case Kind::NvJitLink:
  case Kind::SpirvTools:
  case Kind::OpenClDriver: break;
  }
  return false;
}

CompilerHere search(const Row& row, const process::ToolSearch& search) {
  CompilerHere out;
  out.compiler = &row.compiler;
  if (isProgram(row.kind)) {
    process::FoundTool tool = process::findTool(row.compiler.name, search);
    out.found = tool.path.has_value();
    if (tool.path) out.path = std::move(*tool.path);
    out.places = std::move(tool.places);
  } else {
    // The runner loads the libraries and the driver; which driver there is, only its loader knows.
    switch (row.kind) {
    case Kind::SpirvTools: out.found = payloads::hasSpirvTools(); break;
    case Kind::Nvrtc:
    case Kind::NvJitLink: {
      const std::string_view library = row.kind == Kind::Nvrtc ? "nvrtc" : "nvJitLink";
      out.found = process::hasToolkitLibrary(library, search);
      for (const std::string_view name : process::toolkitLibraryNames(library)) out.places.emplace_back(name);
      break;
    }
    default: out.found = true;
    }
  }
  return out;
}

} // namespace

std::string_view languageName(Language language) {
  constexpr std::array<std::string_view, 6> kNames = {"CUDA C++", "PTX",  "SPIR-V assembly",
                                                      "OpenCL C", "WGSL", "Metal"};
  return kNames[static_cast<std::size_t>(language)];
}

std::vector<std::string> compilerNames() {
  std::vector<std::string> out;
  for (const Row& row : kRows) out.emplace_back(row.compiler.name);
  return out;
}

std::vector<CompilerHere> compilersFor(Language language, const process::ToolSearch& places) {
  std::vector<CompilerHere> out;
  for (const Row& row : kRows)
    if (row.language == language) out.push_back(search(row, places));
  return out;
}

std::string namesOf(Language language) {
  std::string out;
  for (const Row& row : kRows)
    if (row.language == language) out += (out.empty() ? "" : ", ") + std::string(row.compiler.name);
  return out;
}

std::string_view languageOf(const Compiler& compiler) { return languageName(rowOf(compiler.name)->language); }

Kind kindOf(const Compiler& compiler) { return rowOf(compiler.name)->kind; }

bool isTool(const Compiler& compiler) { return isProgram(kindOf(compiler)); }

} // namespace blobscope::compile
