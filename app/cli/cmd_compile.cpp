#include "app/cli/command.h"

#include "core/base/digest.h"
#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/compile/target.h"
#include "core/describe/compiled.h"
#include "core/describe/image_change.h"
#include "core/describe/write_plan.h"
#include "core/library/open.h"
#include "core/write/repack.h"

#include <CLI/CLI.hpp>

#include <utility>

namespace blobscope::cli {
namespace {

/// Longest source text.
constexpr uint64_t kSourceBytes = uint64_t{256} << 20;

class CompileCommand final : public Command {
public:
  std::string_view name() const override { return "compile"; }
  std::string_view summary() const override {
    return "Compile source for a part of a library, and write the code or the library";
  }
  std::string_view example() const override { return "model.so m2 --source kernel.ptx --arch sm_90 --into edited.so"; }
  std::string_view findings() const override { return "the source does not compile, or does not fit the library"; }
  bool takesRef() const override { return true; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("REF", m_ref, "What the source is for: a module, a kernel or an image, such as m2 or m2/entry:0")
        ->type_name("")
        ->required();
    app.add_option("--source", m_source, "The source: CUDA C++, PTX, SPIR-V assembly or OpenCL C")
        ->type_name("FILE")
        ->required();
    app.add_option("--arch", m_architectures,
                   "For CUDA: sm_90 makes machine code, compute_90 makes PTX; several, separated by commas, make a fat "
                   "binary; by default the target that the PTX names, and for CUDA C++ those of the stored code")
        ->type_name("LIST")
        ->delimiter(',');
    app.add_option(
           "--flag", m_flags,
           "A flag for the compiler, such as --flag=-O1; can be repeated; by default those that the module records")
        ->type_name("FLAG")
        ->expected(1)
        ->take_all();
    app.add_flag("--any-flag", m_anyFlag,
                 "Pass any --flag; by default only those that change how code is generated, not those that may name "
                 "files or programs");
    app.add_option("--compiler", m_compiler, "The compiler; by default the first one for the language that is found")
        ->type_name("NAME")
        ->check(oneOf(compile::compilerNames()));
    app.add_option("-o,--output", m_output, "Write the code to this file")->type_name("FILE");
    app.add_option("--into", m_into,
                   "Write the library, with the code in place of REF, to this file; it may be the "
                   "library itself")
        ->type_name("LIBRARY");
  }

  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(ref, parseRef(m_ref));
    BLOBSCOPE_TRY(package, openFile(session));
    BLOBSCOPE_TRY(target, compile::targetOf(*package, ref, session.monitor()));
    BLOBSCOPE_TRY(source, ByteSource::openFile(pathFrom(m_source)));
    compile::Request request;
    request.source = ByteSource::all(source);
    if (request.source.size() > kSourceBytes)
      return Error(DiagnosticId::FileLimit, {{"count", groupedText(request.source.size())},
                                             {"what", "bytes of source"},
                                             {"limit", groupedText(kSourceBytes)}});
    request.architectures = m_architectures;
    request.flags = m_flags;
    request.anyFlag = m_anyFlag;
    request.recordedFlags = target.flags;
    request.compiler = m_compiler;
    BLOBSCOPE_TRY(compiled, compile::compileFor(target, request, session.monitor()));
    const std::vector<std::string> misfits = compile::misfitsOf(*package, target, compiled);
    const bool usable = compiled.ok && misfits.empty();
    BLOBSCOPE_CHECK(library::checkUnchanged(*package));
    // --- The code is written before the library, and neither when the source cannot be used. ---
    if (usable && !m_output.empty()) BLOBSCOPE_CHECK(writeCode(*compiled.code, session));
    std::optional<Written> planned;
    if (usable && !m_into.empty()) {
      BLOBSCOPE_TRY(plan, writeLibrary(package, target, compiled, session));
      planned = std::move(plan);
    }
    const std::string written = !usable ? std::string() : m_into.empty() ? m_output : m_into;
    if (json) {
      BLOBSCOPE_CHECK(writeDocument(target, compiled, misfits, written, session));
    } else {
      print(compiled, misfits, planned, session);
    }
    return usable ? kFine : kFindings;
  }

private:
  /// The library that was written.
  struct Written {
    write::Repack repack;
    std::optional<describe::ImageChange> images;
  };

  Inputs inputs() const { return {{pathFrom(file), pathFrom(m_source)}}; }

  Result<Done> writeCode(const Bytes& code, Session& session) const {
    return writeFile(pathFrom(m_output), inputs(), code, session.monitor());
  }

  Result<Written> writeLibrary(const library::PackagePtr& package, const compile::Target& target,
                               const compile::Compiled& compiled, Session& session) {
    const std::vector<edit::Edit> edits = compile::editsFor(*package, target, compiled);
    edit::ApplyOptions options;
    options.names.resize(edits.size(), escaped(m_ref));
    BLOBSCOPE_TRY(planned, write::planRepack(package, edits, options, {}, session.monitor()));
    BLOBSCOPE_TRY(images, describe::addImageChange(planned, session.monitor()));
    write::WriteOptions writing;
    writing.inputs = {pathFrom(m_source)};
    if (!m_output.empty()) writing.inputs.push_back(pathFrom(m_output));
    BLOBSCOPE_CHECK(write::writeRepack(planned, pathFrom(m_into), writing, session.monitor()));
    releaseFiles();
    return Written{std::move(planned), std::move(images)};
  }

  Result<Done> writeDocument(const compile::Target& target, const compile::Compiled& compiled,
                             const std::vector<std::string>& misfits, const std::string& written, Session& session) {
    std::string sha256;
    if (compiled.code) {
      BLOBSCOPE_TRY(digest, computeSha256(*compiled.code, session.monitor()));
      sha256 = std::move(digest);
    }
    const auto writer = beginDocument(session);
    writer->member("ref", target.ref.toString());
    describe::writeCompiled(*writer, compiled, sha256);
    writer->listMember("misfits", misfits);
    written.empty() ? writer->nullMember("output") : writer->member("output", written);
    writer->key("missing").beginArray();
    for (const compile::CompilerHere& one :
         compile::compilersFor(compile::languageOf(target, {}), process::ToolSearch::fromEnvironment()))
      if (!one.found)
        writer->beginObject().member("what", one.compiler->title).member("unlocks", one.compiler->unlocks).endObject();
    writer->endArray().endObject();
    writer->finish();
    return Done{};
  }

  void print(const compile::Compiled& compiled, const std::vector<std::string>& misfits,
             const std::optional<Written>& planned, Session& session) const {
    session.print(describe::compilerText(compiled) + "\n");
    const std::string name = shownPath(m_source) + ":";
    for (const compile::Message& message : compiled.messages)
      session.print(session.coloured(message.severity, name + describe::messageText(message)) + "\n");
    for (const compile::KernelUse& kernel : compiled.kernels) session.print(describe::kernelText(kernel) + "\n");
    session.print(describe::resultText(compiled) + "\n");
    for (const std::string& misfit : misfits) session.print(session.coloured(Severity::Error, misfit) + "\n");
    if (planned) describe::writeText(planned->repack, {m_into, {}, {}, planned->images}, session.output());
  }

  std::string m_ref, m_source, m_compiler, m_output, m_into;
  std::vector<std::string> m_architectures, m_flags;
  bool m_anyFlag = false;
};

} // namespace

std::unique_ptr<Command> makeCompile() { return std::make_unique<CompileCommand>(); }

} // namespace blobscope::cli
