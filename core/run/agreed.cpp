#include "core/run/agreed.h"

#include "core/base/digest.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/library/open.h"
#include "core/run/confinement.h"

namespace blobscope::run {
namespace {

Result<Done> checkBytes(const Bytes& bytes, const Agreed& agreed, Monitor& monitor) {
  if (agreed.sha256.empty()) return consentError(agreed.path);
  BLOBSCOPE_TRY(found, computeSha256(bytes, monitor));
  if (found == agreed.sha256) return Done{};
  return Error(DiagnosticId::RunChanged,
               {{"path", shownPath(agreed.path)}, arg("found", found), arg("agreed", agreed.sha256)});
}

} // namespace

Result<AgreedLibrary> AgreedLibrary::take(const library::PackagePtr& opened, const Agreed& agreed, Monitor& monitor) {
  AgreedLibrary out;
  out.m_opened = out.m_package = opened;
  if (agreed.sha256.empty()) return consentError(agreed.path);
  BLOBSCOPE_CHECK(out.checkDisk());
  if (opened->bytes.owner()->isLive()) {
    // Device code and tables are read during planning: from a copy, because modification times do not show every write
    // to a mapped file (another program may have mapped it, too).
    BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
    const std::filesystem::path copy = folder.path() / "agreed";
    BLOBSCOPE_CHECK(writeFileNow(copy, opened->bytes, monitor));
    BLOBSCOPE_TRY(source, ByteSource::openFile(copy));
    BLOBSCOPE_CHECK(checkBytes(ByteSource::all(source), agreed, monitor));
    BLOBSCOPE_TRY(package, library::open(source, opened->path, monitor));
    out.m_package = std::move(package);
    out.m_folder.emplace(std::move(folder));
  } else {
    BLOBSCOPE_CHECK(checkBytes(opened->bytes, agreed, monitor));
  }
  return out;
}

Error consentError(const std::string& paths) {
  const std::string warning = consentWarning(process::supportedLayers());
  return {DiagnosticId::RunConsent,
          {{"path", shownPath(paths)}, {"warning", warning.empty() ? warning : "; " + warning}}};
}

Result<Done> AgreedLibrary::checkDisk() const { return run::checkDisk(*m_opened); }

Result<Done> checkDisk(const library::Package& package) {
  const ByteSource* const source = package.bytes.owner().get();
  const auto changed = source ? source->findDiskChange() : std::nullopt;
  if (!changed) return Done{};
  return Error(DiagnosticId::FileChanged, {hexArg("at", *changed)}, Ref::bytesAt(*changed))
      .within("'" + shownPath(package.path) + "'");
}

Result<Done> checkCopy(const std::filesystem::path& copy, const Agreed& agreed, Monitor& monitor) {
  BLOBSCOPE_TRY(source, ByteSource::openFile(copy));
  return checkBytes(ByteSource::all(source), agreed, monitor);
}

} // namespace blobscope::run
