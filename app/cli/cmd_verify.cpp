#include "app/cli/command.h"

#include "core/base/text.h"
#include "core/library/verify.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class VerifyCommand final : public Command {
public:
  std::string_view name() const override { return "verify"; }
  std::string_view summary() const override { return "Decode and encode again, compare, count the bytes fields own"; }
  void declare(CLI::App& app) override { declareFile(app); }

  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    std::vector<library::Verification> results;
    std::vector<Diagnostic> diagnostics = package->diagnostics;
    for (const auto& blob : package->blobs) {
      BLOBSCOPE_TRY(result, library::computeVerification(*blob, session.monitor()));
      if (!result.identical)
        diagnostics.push_back({DiagnosticId::BlobNotIdentical, blob->ref(), {hexArg("at", *result.differsAt)}});
      results.push_back(std::move(result));
    }
    bool ok = true;
    for (const Diagnostic& diagnostic : diagnostics) ok = ok && diagnostic.severity() != Severity::Error;
    if (json)
      writeDocument(session, *package, results, diagnostics, ok);
    else
      print(session, *package, results, diagnostics, ok);
    return ok ? kFine : kFindings;
  }

private:
  void writeDocument(Session& session, const library::Package& package,
                     const std::vector<library::Verification>& results, const std::vector<Diagnostic>& diagnostics,
                     bool ok) const {
    const auto writer = beginDocument(session);
    writer->member("ok", ok);
    writer->key("blobs").beginArray();
    for (std::size_t i = 0; i < results.size(); ++i) {
      const library::Blob& blob = *package.blobs[i];
      writer->beginObject();
      writer->member("ref", blob.ref().toString());
      writer->member("carrier", container::carrierText(blob.carrier.name));
      writer->member("era", library::eraName(blob.era));
      writer->member("size", results[i].size);
      writer->member("identical", results[i].identical);
      writer->member("owned", results[i].owned);
      writer->member("unknown", results[i].unknown);
      writer->key("undecoded").beginArray();
      for (const uint32_t index : results[i].undecoded) writer->value(blob.moduleRef(index).toString());
      writer->endArray();
      writer->endObject();
    }
    writer->endArray();
    writer->key("members").beginArray();
    writer->endArray();
    writeDiagnostics(*writer, diagnostics);
    writer->endObject();
    writer->finish();
  }

  void print(Session& session, const library::Package& package, const std::vector<library::Verification>& results,
             const std::vector<Diagnostic>& diagnostics, bool ok) const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const library::Verification& result = results[i];
      std::string line = "blob '" + escaped(package.blobs[i]->carrier.symbol) + "': " +
                         (result.identical ? "decodes and encodes to the same " : "does not encode to the same ") +
                         groupedText(result.size) + " bytes; fields own " + groupedText(result.owned) + ", " +
                         groupedText(result.unknown) + " are unknown";
      for (std::size_t k = 0; k < result.undecoded.size(); ++k)
        line += (k == 0 ? "; not decoded: " : ", ") + package.blobs[i]->moduleRef(result.undecoded[k]).toString();
      session.print(line + "\n");
    }
    printDiagnostics(session, diagnostics);
    session.print(ok ? "ok\n" : "damaged\n");
  }
};

} // namespace

std::unique_ptr<Command> makeVerify() { return std::make_unique<VerifyCommand>(); }

} // namespace blobscope::cli
