#include "core/modules/cuda/images.h"

#include "core/base/text.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <array>

namespace blobscope::modules {
namespace {

/// What the table shows for a kernel; only the FunctionInfo when no image has the kernel.
struct Row {
  NamedFunction function;
  std::optional<payloads::CubinKernel> kernel;
};

bool usesDynamicShared(const FunctionInfo& info) {
  return std::any_of(info.launchParamTags.begin(), info.launchParamTags.end(),
                     [](const Bytes& tag) { return tag.view().ends_with("use_dyn_shared_memory"); });
}

class CubinTable final : public view::TableSource {
public:
  explicit CubinTable(std::vector<Row> rows) : m_rows(std::move(rows)) {
    const bool stack = std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) {
      return row.kernel && row.kernel->stackBytes().value_or(0) > 0;
    });
    if (!stack) std::erase(m_columns, 4);
  }
  std::vector<view::Column> columns() const override {
    const std::array<view::Column, 9> all = {{{"name"},
                                              {"code bytes", true, true},
                                              {"registers", true},
                                              {"shared", true},
                                              {"stack", true},
                                              {"max block", true},
                                              {"uses"},
                                              {"arguments"},
                                              {"launch parameters"}}};
    std::vector<view::Column> columns;
    for (const std::size_t column : m_columns) columns.push_back(all[column]);
    return columns;
  }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t shown) const override {
    const Row& it = m_rows[row];
    const std::size_t column = m_columns[shown];
    const auto number = [](std::optional<uint64_t> value) { return value ? std::to_string(*value) : std::string("–"); };
    switch (column) {
    case 0: return escaped(it.function.key.view());
    case 7: return it.function.info.argumentText();
    case 8: return it.function.info.launchText();
    default: break;
    }
    if (!it.kernel) return column == 6 ? "" : "–";
    const payloads::CubinKernel& kernel = *it.kernel;
    switch (column) {
    case 1: return std::to_string(kernel.code.size());
    case 2: return number(kernel.registers);
    case 3: {
      if (!usesDynamicShared(it.function.info))
        return kernel.sharedBytes == 0 ? "–" : std::to_string(kernel.sharedBytes);
      return kernel.sharedBytes == 0 ? "dynamic" : std::to_string(kernel.sharedBytes) + " + dynamic";
    }
    case 4: return number(kernel.stackBytes());
    case 5: return number(kernel.blockThreads());
    default: {
      std::string words = kernel.tensorCores ? "tensor cores" : "";
      if (kernel.shuffles) words += words.empty() ? "warp shuffles" : ", warp shuffles";
      if (kernel.cluster || kernel.explicitCluster) words += words.empty() ? "clusters" : ", clusters";
      return words;
    }
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return node.part(PartKind::Kernel, m_rows[row].function.key.view());
  }

private:
  std::vector<Row> m_rows;
  std::vector<std::size_t> m_columns = {0, 1, 2, 3, 4,
                                        5, 6, 7, 8}; ///< all possible columns; without the stack when no kernel uses it
};

/// "sm_90a": compute capability 9.0, variant 'a'; the last digit is the minor number.
struct Capability {
  std::string major, minor;
  char variant = 0;
  std::string text() const { return major + "." + minor; }
};
std::optional<Capability> capabilityOf(std::string_view name) {
  if (!name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(3);
  Capability out;
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    out.variant = name.back();
    name.remove_suffix(1);
  }
  const bool digits = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || name.size() < 2 || name.size() > 4) return std::nullopt;
  out.major = name.substr(0, name.size() - 1);
  out.minor = name.substr(name.size() - 1);
  return out;
}

void addOnce(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

/// Joins the words to a list for people; long lists are shortened.
std::string listed(const std::vector<std::string>& words) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(words.size(), kShown); ++i) out += (i == 0 ? "" : ", ") + words[i];
  return words.size() > kShown ? out + " and " + groupedText(words.size() - kShown) + " more" : out;
}

} // namespace

std::optional<CudaImages::Found> CudaImages::findKernel(std::string_view name) const {
  const auto place = places.find(name);
  if (place == places.end()) return std::nullopt;
  const CudaImage& image = cubins[place->second.first];
  return Found{&image, &image.cubin.kernels[place->second.second]};
}

CudaImages readCudaImages(const Bytes& data) {
  CudaImages images;
  const std::string_view content = payloads::sniff(data);
  if (content == "cubin") images.cubins.push_back({data, payloads::readCubin(data)});
  if (content == "fatbin") images.entries = payloads::readFatbin(data).entries();
  for (const payloads::FatbinEntry& entry : images.entries)
    if (entry.kind == payloads::FatbinEntry::kCubin && entry.compressedSize == 0)
      images.cubins.push_back({entry.payload, payloads::readCubin(entry.payload)});
  for (std::size_t i = 0; i < images.cubins.size(); ++i)
    for (std::size_t k = 0; k < images.cubins[i].cubin.kernels.size(); ++k)
      images.places.emplace(images.cubins[i].cubin.kernels[k].name.view(), std::pair(i, k));
  return images;
}

std::string runsOnText(const std::vector<std::string>& machineCode, const std::vector<std::string>& ptx) {
  std::vector<std::string> own, later;
  for (const std::string& name : machineCode)
    if (const auto is = capabilityOf(name))
      addOnce(own, is->variant == 'a' ? "exactly " + is->text() : is->text() + " and later " + is->major + ".x");
  for (const std::string& name : ptx)
    if (const auto is = capabilityOf(name))
      addOnce(later, is->variant == 'a'   ? "exactly " + is->text()
                     : is->variant == 'f' ? is->text() + " and later " + is->major + ".x"
                                          : is->text() + " and later");
  if (own.empty() && later.empty()) return {};
  const std::string gpus = "GPUs of compute capability ";
  if (later.empty()) return "only " + gpus + listed(own) + ", since there is machine code but no PTX";
  if (own.empty()) return gpus + listed(later) + ", by PTX that the driver compiles";
  return gpus + listed(own) + "; " + listed(later) + " by PTX that the driver compiles";
}

std::string runsOnText(const Bytes& data, const CudaImages& images) {
  std::vector<std::string> machineCode, ptx;
  for (const payloads::FatbinEntry& entry : images.entries) {
    if (entry.kind == payloads::FatbinEntry::kCubin) machineCode.push_back(entry.architecture());
    if (entry.kind == payloads::FatbinEntry::kPtx) ptx.push_back(entry.architecture());
  }
  if (images.entries.empty())
    for (const CudaImage& image : images.cubins) machineCode.push_back(image.cubin.architecture());
  if (payloads::sniff(data) == "ptx") ptx.push_back(payloads::readPtx(data).target);
  return runsOnText(machineCode, ptx);
}

KernelTable kernelTableOf(const std::vector<NamedFunction>& functions, const CudaImages& images) {
  std::vector<Row> rows;
  rows.reserve(functions.size());
  for (const NamedFunction& function : functions) {
    const auto found = images.findKernel(function.key.view());
    rows.push_back({function, found ? std::optional(*found->kernel) : std::nullopt});
  }
  const auto table = std::make_shared<CubinTable>(std::move(rows));
  const std::size_t columns = table->columns().size(); // the last two show the FunctionInfo
  return {table, columns - 2, columns - 1};
}

} // namespace blobscope::modules
