#include "app/cli/command.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/write/export_folder.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class ExportCommand final : public Command {
public:
  std::string_view name() const override { return "export"; }
  std::string_view summary() const override { return "Write all modules and their parts to a folder"; }
  std::string_view example() const override { return "model.so parts"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("DIR", m_folder, "The folder to write; it must be new or empty")->type_name("")->required();
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    BLOBSCOPE_TRY(done, write::exportFolder(package, pathFrom(m_folder), session.monitor()));
    if (!json) {
      session.print(groupedText(done.files) + " files, " + sizeText(done.bytes) + ", written to '" +
                    shownPath(m_folder) + "'\n");
      return kFine;
    }
    const auto writer = beginDocument(session);
    writer->member("output", m_folder);
    writer->member("files", done.files);
    writer->member("size", done.bytes);
    writer->endObject();
    writer->finish();
    return kFine;
  }

private:
  std::string m_folder;
};

} // namespace

std::unique_ptr<Command> makeExport() { return std::make_unique<ExportCommand>(); }

} // namespace blobscope::cli
