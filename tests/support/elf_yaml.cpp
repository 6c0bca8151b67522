#include "tests/support/elf_yaml.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/ObjectYAML/yaml2obj.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/YAMLTraits.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdio>
#include <cstdlib>

namespace blobscope::test {
namespace {

[[noreturn]] void stop(const std::string& why, std::string_view about) {
  std::fprintf(stderr, "%s\n%.*s\n", why.c_str(), static_cast<int>(about.size()), about.data());
  std::_Exit(1); // QtTest 6.4 prints without end when abort() is called
}

template <class Type> std::map<std::string, uint64_t> offsetsOf(const llvm::object::ELFFile<Type>& file) {
  std::map<std::string, uint64_t> offsets = {{"sections", file.getHeader().e_shoff}};
  auto sections = file.sections();
  if (!sections) stop(llvm::toString(sections.takeError()), {});
  for (const auto& section : *sections) {
    auto name = file.getSectionName(section);
    if (!name) stop(llvm::toString(name.takeError()), {});
    offsets.emplace(name->str(), section.sh_offset);
  }
  return offsets;
}

} // namespace

std::string elfOfYaml(const std::string& yaml) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::yaml::Input input(yaml);
  const auto refused = [&](const llvm::Twine& why) { stop(why.str(), yaml); };
  if (!llvm::yaml::convertYAML(input, stream, refused)) stop("LLVM cannot read the description", yaml);
  stream.flush();
  return out;
}

std::map<std::string, uint64_t> sectionOffsets(const std::string& elf) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(elf, "made"));
  if (!object) stop(llvm::toString(object.takeError()), {});
  const llvm::object::ObjectFile* const file = object->get();
  if (const auto* const is = llvm::dyn_cast<llvm::object::ELF32LEObjectFile>(file)) return offsetsOf(is->getELFFile());
  if (const auto* const is = llvm::dyn_cast<llvm::object::ELF32BEObjectFile>(file)) return offsetsOf(is->getELFFile());
  if (const auto* const is = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(file)) return offsetsOf(is->getELFFile());
  return offsetsOf(llvm::cast<llvm::object::ELF64BEObjectFile>(file)->getELFFile());
}

std::string yamlBytes(std::string_view bytes) {
  return llvm::toHex(llvm::StringRef(bytes.data(), bytes.size()), /*LowerCase=*/true);
}

} // namespace blobscope::test
