#include "app/cli/command.h"

#include "core/base/digest.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/open.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class ExtractCommand final : public Command {
public:
  std::string_view name() const override { return "extract"; }
  std::string_view summary() const override { return "Write the bytes of a part to a file"; }
  std::string_view example() const override { return "model.so m2/field:data -o code.bin"; }
  bool takesRef() const override { return true; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("REF", m_ref, "The part or the bytes, such as m1, section:.rodata or @0x1000+64")
        ->type_name("")
        ->required();
    app.add_option("-o,--output", m_output, "The file to write, replaced if it exists; - for standard output")
        ->type_name("FILE")
        ->required();
    app.add_flag("--npy", m_npy, "Write a tensor as a NumPy file");
  }
  Result<Exit> run(Session& session) override {
    const bool toStdout = m_output == "-";
    if (toStdout && json)
      return Error(DiagnosticId::Usage,
                   {arg("what", "--json and -o - cannot be combined: both write to standard output")});
    BLOBSCOPE_TRY(ref, parseRef(m_ref));
    BLOBSCOPE_TRY(package, openFile(session));
    BLOBSCOPE_TRY(node, library::findNode(*package, ref, session.monitor()));
    if (!node.bytes)
      return Error(DiagnosticId::RefNoBytes, {arg("ref", ref.toString()), {"reason", node.whyNoBytes}}, ref);
    if (m_npy) {
      BLOBSCOPE_TRY(npy, library::toNpy(node));
      if (!npy.note.empty()) session.complain(file, npy.note);
      node.bytes = std::move(npy.bytes);
    }
    if (toStdout) {
      session.print(node.bytes->view());
      BLOBSCOPE_CHECK(library::checkUnchanged(*package));
      return kFine;
    }
    BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(m_output), {{pathFrom(file)}}));
    BLOBSCOPE_CHECK(out.write(*node.bytes, session.monitor()));
    BLOBSCOPE_TRY(digest, computeSha256(*node.bytes, session.monitor()));
    BLOBSCOPE_CHECK(library::checkUnchanged(*package));
    BLOBSCOPE_CHECK(out.commit());
    if (!json) {
      session.print(node.title + ": " + sizeText(node.bytes->size()) + " written to '" + shownPath(m_output) +
                    "', sha256 " + digest + "\n");
      return kFine;
    }
    const auto writer = beginDocument(session);
    writer->member("ref", ref.toString());
    writer->member("size", node.bytes->size());
    writer->member("sha256", digest);
    writer->member("output", m_output);
    writer->endObject();
    writer->finish();
    return kFine;
  }

private:
  std::string m_ref, m_output;
  bool m_npy = false;
};

} // namespace

std::unique_ptr<Command> makeExtract() { return std::make_unique<ExtractCommand>(); }

} // namespace blobscope::cli
