#include "core/base/output_file.h"

namespace blobscope {

Result<Done> writeFile(const std::filesystem::path& target, const Inputs& inputs, const Bytes& bytes,
                       Monitor& monitor) {
  BLOBSCOPE_TRY(file, OutputFile::create(target, inputs));
  BLOBSCOPE_CHECK(file.write(bytes, monitor));
  return file.commit();
}

Result<Done> writeFileNow(const std::filesystem::path& target, const Bytes& bytes, Monitor& monitor) {
  BLOBSCOPE_TRY(file, OutputFile::create(target));
  BLOBSCOPE_CHECK(file.write(bytes, monitor));
  return file.rename();
}

} // namespace blobscope
