#pragma once

#include "core/kernels/kernels.h"
#include "core/payloads/cubin/occupancy.h"
#include "core/view/page.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::kernels {

/// The occupancy below which a window marks a kernel, in percent.
inline constexpr unsigned kLowOccupancy = 40;

/// All kernels as rows, with the occupancy on one GPU.
class KernelTable final : public view::TableSource {
public:
  /// By importance: a window that has not enough room hides the last ones.
  enum Column : std::size_t {
    kName,
    kModule,
    kCode,
    kRegisters,
    kShared,
    kBlock,
    kOccupancy,
    kUses,
    kLaunches,
    kCallers,
    kArguments,
    kStack,
    kLocal
  };

  /// `sm`: 90; nothing for libraries without code for NVIDIA's GPUs.
  KernelTable(std::shared_ptr<const Kernels> kernels, std::optional<uint32_t> sm);

  std::vector<view::Column> columns() const override;
  uint64_t rowCount() const override { return m_kernels->list.size(); }
  std::string cell(uint64_t row, std::size_t column) const override;
  uint64_t number(uint64_t row, std::size_t column) const override;
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_kernels->function(row).ref; }

  const Kernels& kernels() const { return *m_kernels; }
  std::optional<uint32_t> sm() const { return m_sm; }
  /// What is known about the code of a kernel on this GPU.
  const modules::KernelCode& code(uint64_t row) const;
  /// Nothing when registers, block size or GPU are not known. Without dynamic shared memory, whose amount is not known.
  std::optional<payloads::Occupancy> occupancy(uint64_t row) const;
  /// Architectures of the images whose numbers are shown, when they are for another GPU: {"sm_89"}.
  std::vector<std::string> otherArchitectures() const;

private:
  std::shared_ptr<const Kernels> m_kernels;
  std::optional<uint32_t> m_sm;
  std::vector<std::optional<std::size_t>> m_images; ///< by module: the image that the GPU would use
};

} // namespace blobscope::kernels
