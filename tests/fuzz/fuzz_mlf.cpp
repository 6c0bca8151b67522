#include "core/check/sarif.h"
#include "core/describe/node.h"
#include "core/mlf/archive.h"
#include "core/payloads/json/json_fields.h"
#include "core/view/render.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_support.h"

namespace {

using namespace blobscope;

/// Archives in which one member is replaced: a change in a whole tar would mostly break a checksum.
const std::vector<test::Mlf>& archives() {
  static const std::vector<test::Mlf> made = [] {
    std::vector<test::Mlf> out;
    for (const unsigned version : {1u, 2u, 5u, 6u, 7u})
      for (const test::MlfStyle style : {test::MlfStyle::Graph, test::MlfStyle::Aot})
        out.push_back(test::cleanMlf(version, style));
    out.push_back(test::cleanMlf(7, test::MlfStyle::Operator));
    return out;
  }();
  return made;
}

/// The file of an input: the tar itself after 0xff, otherwise archive number, member number, content.
std::string fileOf(std::string_view input) {
  if (input.size() < 2 || input[0] == '\xff') return std::string(input.substr(input.empty() ? 0 : 1));
  test::Mlf mlf = archives()[static_cast<unsigned char>(input[0]) % archives().size()];
  mlf.members[static_cast<unsigned char>(input[1]) % mlf.members.size()].content = input.substr(2);
  return mlf.tar();
}

} // namespace

/// An archive: checked, shown as in the window, its metadata field by field. Offsets of findings are inside the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string file = fileOf({reinterpret_cast<const char*>(data), size});
  test::StepLimit monitor(file.size());
  const auto package = library::open(test::source(file), "made.tar", monitor);
  if (!package) return 0;
  const auto archive = mlf::readArchive(*package, monitor);
  if (!archive) __builtin_trap();
  const auto overview = describe::overviewOf(**package, archive->get(), monitor);
  if (!overview || overview->sentence.empty()) __builtin_trap();
  std::size_t written = 0;
  const auto count = [&](std::string_view text) { written += text.size(); };
  if (*archive) {
    for (const check::Issue& issue : (*archive)->report.issues) {
      if (issue.message.empty() || !check::findRule(issue.rule)) __builtin_trap();
      if (issue.ref && issue.ref->members.empty() && issue.ref->at.value_or(0) > file.size()) __builtin_trap();
    }
    check::writeSarif((*archive)->report, "x.tar", "0", count);
  }
  const auto pages = describe::pagesOf(*package, Ref::file(), monitor);
  if (!pages) __builtin_trap();
  for (const view::Page& page : *pages)
    if (page.name != "Hex" && !view::renderText(page, count, monitor)) __builtin_trap();
  for (const library::PackageMember& member : (*package)->members) {
    auto tree = payloads::describeJson(member.stored->bytes);
    if (!tree) continue;
    for (uint32_t row = 0; row < tree->rows.size(); ++row) {
      const Field& field = tree->rows[row];
      if (field.offset > tree->bytes.size() || field.size > tree->bytes.size() - field.offset || field.after <= row)
        __builtin_trap();
      written += tree->value(row).size();
    }
  }
  return written == 0 ? 1 : 0;
}
