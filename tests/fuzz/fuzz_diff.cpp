#include "core/describe/comparison_html.h"
#include "core/diff/compare.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <string>

namespace {

using namespace blobscope;
using namespace blobscope::test;

/// Ends work that takes long; a comparison of small files checks its monitor often enough.
class Patience final : public Monitor {
public:
  bool stopRequested() const override { return ++m_looks > 20'000; }
  void progress(std::string_view, uint64_t, uint64_t) override {}

private:
  mutable int m_looks = 0;
};

} // namespace

/// A library and its changes: the last bytes are changes of three bytes each (offset, value). The two directions of the
/// comparison are mirrored, and comparing a library with itself finds nothing.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (size < 4 || size > (1u << 16)) return 0;
  const std::size_t changes = std::min<std::size_t>(data[size - 1] % 16, (size - 1) / 3);
  const std::string a(reinterpret_cast<const char*>(data), size - 1 - 3 * changes);
  std::string b = a;
  for (std::size_t i = 0; i < changes && !b.empty(); ++i) {
    const uint8_t* const change = data + size - 1 - 3 * (i + 1);
    b[(change[0] | std::size_t{change[1]} << 8) % b.size()] = static_cast<char>(change[2]);
  }
  StepLimit monitor(size);
  const auto left = library::open(source(a), "a.so", monitor), right = library::open(source(b), "b.so", monitor);
  if (!left || !right) return 0;
  const auto compared = [](const library::PackagePtr& x, const library::PackagePtr& y) {
    Patience patience;
    return diff::compare(x, y, {}, patience);
  };
  const auto same = compared(*left, *left);
  if (same && !same->equal()) __builtin_trap();
  const auto there = compared(*left, *right), back = compared(*right, *left);
  if (!there || !back) return 0;
  if (diff::mirrored(*back).counts != there->counts || there->equal() != back->equal()) __builtin_trap();
  for (std::size_t i = 0; i < there->nodes.size(); ++i)
    if (there->nodes[i].parent != diff::DiffNode::kNoParent && there->nodes[i].parent >= i) __builtin_trap();
  if (!describe::writeHtml(*there, [](std::string_view) {}, monitor)) __builtin_trap();
  return 0;
}
