#include "core/run/confinement.h"

namespace blobscope::run {

using process::Layers;

std::vector<ConfinedPart> confinedParts(Layers layers) {
  std::vector<ConfinedPart> out;
  const auto add = [&](const char* what, Layers::Bit layer, const char* how, const char* without) {
    const bool confined = layers.has(layer);
    out.push_back({what, confined, confined ? how : without + std::string(": ") + process::missingReason(layer)});
  };
  add("network", Layers::SystemCalls, "no sockets; runs on CUDA can open local ones, which the driver needs",
      "can be used");
  add("files", Layers::Files,
      "writable only in the run's own folder, in the drivers' cache for test runs, in shared memory and on devices; "
      "reading is not restricted",
      "writable wherever you can write");
  add("system", Layers::SystemCalls, "no tracing of other processes, no mounts, no access to the kernel's internals",
      "your other processes can be changed");
  add("privileges", Layers::Privileges, "no new privileges", "set-user-ID programs can be started");
  add("resources", Layers::Limits, "limits on memory, CPU time, open files and the size of a file",
      "only the run time is limited");
  // Every Linux has the supervisor of a run; the other layers differ.
  const bool known = layers.has(Layers::Limits);
  std::string processes = layers.has(Layers::SystemCalls) ? "none in dry runs; " : "";
  processes += layers.has(Layers::Tasks) ? "limited in number; " : "counted, because limits do not apply to root; ";
  out.push_back(
      {"processes", known,
       known ? processes + "processes that a run leaves behind are ended with it" +
                   (layers.has(Layers::SystemCalls) ? "" : ", unless its code ends the supervisor first")
             : "processes that a run leaves behind can keep running: " + process::missingReason(Layers::Limits)});
  Layers tools = layers;
  tools.bits |= Layers::Tasks; // they start no processes
  constexpr uint8_t kAll = Layers::Limits | Layers::Privileges | Layers::SystemCalls | Layers::Files | Layers::Tasks;
  out.push_back({"tools", tools.bits == kAll, "nvdisasm is " + process::confinedText(layers)});
  return out;
}

std::string confinementSummary(Layers layers) {
  struct Row {
    Layers::Bit layer;
    const char* confined;
    const char* open;
  };
  constexpr Row kRows[] = {
      {Layers::SystemCalls, "they cannot use the network or trace other processes", "network, other processes"},
      {Layers::Privileges, "they get no new privileges", "privileges"},
      {Layers::Limits, "their memory, CPU time, files and processes are limited", "memory, CPU time, processes"},
      {Layers::Files, "they can write files only in the run's folder, the drivers' cache, shared memory and devices",
       "files"}};
  std::string confined, open;
  for (const Row& row : kRows) {
    if (layers.has(row.layer)) {
      confined += (confined.empty() ? "" : "; ") + std::string(row.confined);
    } else {
      open += (open.empty() ? "" : ", ") + std::string(row.open) + " (" + process::missingReason(row.layer) + ")";
    }
  }
  std::string text =
      confined.empty() ? "Test runs are not confined on this system." : "Test runs are confined: " + confined + ".";
  if (!confined.empty() && !open.empty()) text += "\nNot confined on this system: " + open + ".";
  if (!confined.empty())
    text +=
        "\nThis does not make it safe to run a file that you do not trust; 'blobscope-cli devices' lists the details.";
  return text;
}

} // namespace blobscope::run
