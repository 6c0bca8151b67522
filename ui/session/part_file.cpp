#include "ui/session/part_file.h"

#include "core/library/node.h"
#include "core/library/open.h"
#include "ui/text/plain_text.h"

namespace blobscope::ui {

Result<std::string> writePart(const library::Package& package, const Ref& ref, PartForm form,
                              const std::filesystem::path& target, const Inputs& inputs, bool lasting,
                              Monitor& monitor) {
  BLOBSCOPE_TRY(node, library::findNode(package, ref, monitor));
  if (!node.bytes)
    return Error(DiagnosticId::RefNoBytes, {arg("ref", ref.toString()), {"reason", node.whyNoBytes}}, ref);
  std::string note;
  if (form == PartForm::Npy) {
    BLOBSCOPE_TRY(npy, library::toNpy(node));
    node.bytes = std::move(npy.bytes);
    note = std::move(npy.note);
  }
  BLOBSCOPE_TRY(out, OutputFile::create(target, inputs));
  BLOBSCOPE_CHECK(out.write(*node.bytes, monitor));
  BLOBSCOPE_CHECK(library::checkUnchanged(package));
  BLOBSCOPE_CHECK(lasting ? out.commit() : out.rename());
  return note;
}

QString partName(const Ref& ref) {
  QString name = ref.kind == Ref::Kind::Module ? QStringLiteral("m%1").arg(ref.module) : nameToQt(ref.name);
  if (ref.kind == Ref::Kind::Blob) name = QStringLiteral("blob");
  for (const Ref::Part& part : ref.parts) name += QLatin1Char('-') + nameToQt(part.name);
  return safeFileName(name);
}

QString partFileName(const Ref& ref) {
  if (ref.kind != Ref::Kind::Member || !ref.parts.empty() || ref.at) return partName(ref) + QLatin1String(".bin");
  return safeFileName(nameToQt(ref.name.substr(ref.name.find_last_of('/') + 1)));
}

} // namespace blobscope::ui
