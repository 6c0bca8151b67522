#include "core/run/confinement.h"

namespace blobscope::run {

using process::Layers;

std::vector<ConfinedPart> confinedParts(Layers layers) {
  const bool limited = layers.has(Layers::Limits);
  const std::string refused = ": " + process::missingReason(Layers::Limits);
  std::vector<ConfinedPart> out;
  out.push_back({"network", false, "can be used: Windows limits it only for whole programs, with its firewall"});
  out.push_back({"files", false, "can be read and written wherever you can"});
  out.push_back({"system", false, "your other processes can be changed"});
  out.push_back({"privileges", false, "those of this program"});
  out.push_back({"resources", limited,
                 limited ? "limits on memory and CPU time; no memory limit with CUDA"
                         : "only the run time is limited" + refused});
  out.push_back({"processes", limited,
                 limited ? "none in dry runs; processes that a run leaves behind are ended with it"
                         : "those that a run leaves behind are ended with it; their number is not limited" + refused});
  out.push_back({"tools", false, "nvdisasm is " + process::confinedText(layers)});
  return out;
}

std::string consentWarning(Layers) { return {}; }

std::string confinementSummary(Layers layers) {
  if (!layers.has(Layers::Limits)) return "Test runs are not confined on this system.";
  return "Test runs have limits on memory, CPU time and processes.\n"
         "Not confined on Windows: network, files, other processes, privileges.\n"
         "Run only files that you trust; 'blobscope-cli devices' lists the details.";
}

} // namespace blobscope::run
