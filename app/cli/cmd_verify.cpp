#include "app/cli/command.h"

#include "core/base/text.h"
#include "core/library/verify.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace blobscope::cli {
namespace {

class VerifyCommand final : public Command {
public:
  std::string_view name() const override { return "verify"; }
  std::string_view summary() const override {
    return "Decode and re-encode the blob, compare the bytes, and count those that could be decoded";
  }
  std::string_view example() const override { return "model.so"; }
  std::string_view findings() const override { return "something is damaged"; }
  void declare(CLI::App& app) override { declareFile(app); }

  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    std::vector<Diagnostic> diagnostics = package->diagnostics;
    BLOBSCOPE_TRY(results, verify(*package, diagnostics, session.monitor()));
    bool ok = true;
    for (const Diagnostic& diagnostic : diagnostics) ok = ok && diagnostic.severity() != Severity::Error;
    if (json) {
      const auto writer = beginDocument(session);
      writer->member("ok", ok);
      writeResults(*writer, results);
      writeDiagnostics(*writer, diagnostics);
      writer->endObject();
      writer->finish();
    } else {
      print(session, results);
      printDiagnostics(session, diagnostics);
      session.print(!ok ? "damaged\n" : hasBlob(results) ? "ok\n" : "no blob: nothing was verified\n");
    }
    return ok ? kFine : kFindings;
  }

private:
  /// The results of a package and of its members.
  struct Results {
    const library::Package* package;
    std::vector<library::Verification> blobs;
    std::vector<Results> members; ///< only those of members that are containers
  };

  static Result<Results> verify(const library::Package& package, std::vector<Diagnostic>& diagnostics,
                                Monitor& monitor) {
    Results results{&package, {}, {}};
    for (const auto& blob : package.blobs) {
      BLOBSCOPE_TRY(result, library::computeVerification(*blob, monitor));
      if (!result.identical)
        diagnostics.push_back({DiagnosticId::BlobNotIdentical, blob->ref(), {hexArg("at", *result.differsAt)}});
      results.blobs.push_back(std::move(result));
    }
    for (const library::PackageMember& member : package.members) {
      if (!member.package) continue;
      BLOBSCOPE_TRY(inner, verify(*member.package, diagnostics, monitor));
      results.members.push_back(std::move(inner));
    }
    return results;
  }

  static bool hasBlob(const Results& results) {
    return !results.blobs.empty() || std::any_of(results.members.begin(), results.members.end(), hasBlob);
  }

  static void writeResults(json::Writer& writer, const Results& results) {
    writer.key("blobs").beginArray();
    for (std::size_t i = 0; i < results.blobs.size(); ++i) {
      const library::Blob& blob = *results.package->blobs[i];
      const library::Verification& result = results.blobs[i];
      writer.beginObject();
      writer.member("ref", blob.ref().toString());
      writer.member("carrier", container::carrierText(blob.carrier.name));
      writer.member("era", library::eraName(blob.era));
      writer.member("size", result.size);
      writer.member("identical", result.identical);
      writer.member("owned", result.owned);
      writer.member("unknown", result.unknown);
      writer.key("undecoded").beginArray();
      for (const uint32_t index : result.undecoded) writer.value(blob.moduleRef(index).toString());
      writer.endArray();
      writer.endObject();
    }
    writer.endArray();
    writer.key("members").beginArray();
    for (const Results& member : results.members) {
      writer.beginObject();
      writer.member("path", member.package->memberPath.back());
      writeResults(writer, member);
      writer.endObject();
    }
    writer.endArray();
  }

  static void print(Session& session, const Results& results) {
    for (std::size_t i = 0; i < results.blobs.size(); ++i) {
      const library::Verification& result = results.blobs[i];
      const library::Blob& blob = *results.package->blobs[i];
      std::string line = "blob '" + escaped(blob.carrier.symbol) + "'";
      if (!blob.memberPath.empty()) line += " in '" + escaped(blob.memberPath.back()) + "'";
      line += ": " +
              std::string(result.identical ? "re-encoding gives the same " : "re-encoding does not give the same ") +
              groupedText(result.size) + " bytes; fields cover " + countText(result.owned, "byte") + ", " +
              countText(result.unknown, "byte") + (result.unknown == 1 ? " is unknown" : " are unknown");
      for (std::size_t k = 0; k < result.undecoded.size(); ++k)
        line += (k == 0 ? "; not decoded: " : ", ") + blob.moduleRef(result.undecoded[k]).shown();
      session.print(line + "\n");
    }
    for (const Results& member : results.members) print(session, member);
  }
};

} // namespace

std::unique_ptr<Command> makeVerify() { return std::make_unique<VerifyCommand>(); }

} // namespace blobscope::cli
