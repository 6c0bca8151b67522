#include "tests/core/write/llvm_archive.h"

#include <llvm/Object/Archive.h>

namespace blobscope::test {

std::string archiveByLlvm(std::string_view archive) {
  const llvm::MemoryBufferRef buffer({archive.data(), archive.size()}, "archive");
  auto read = llvm::object::Archive::create(buffer);
  if (!read) return llvm::toString(read.takeError());
  std::string out, names;
  llvm::Error error = llvm::Error::success();
  for (const auto& child : (*read)->children(error)) {
    auto name = child.getName();
    auto size = child.getSize();
    if (!name) return llvm::toString(name.takeError());
    if (!size) return llvm::toString(size.takeError());
    out += (out.empty() ? "" : ", ") + name->str() + " " + std::to_string(*size);
  }
  if (error) return llvm::toString(std::move(error));
  for (const auto& symbol : (*read)->symbols()) {
    auto member = symbol.getMember();
    if (!member) return llvm::toString(member.takeError());
    auto name = member->getName();
    if (!name) return llvm::toString(name.takeError());
    names += (names.empty() ? "; " : ", ") + symbol.getName().str() + " in " + name->str();
  }
  return out + names;
}

} // namespace blobscope::test
