#include "core/run/confinement.h"

#include "core/base/text.h"
#include "core/process/supervise.h"

namespace blobscope::run {

using process::Layers;

std::vector<ConfinedPart> confinedParts(Layers layers) {
  std::vector<ConfinedPart> out;
  const auto add = [&](const char* what, Layers::Bit layer, const char* how, const char* without) {
    const bool confined = layers.has(layer);
    out.push_back({what, confined, confined ? how : without + std::string(": ") + process::missingReason(layer)});
  };
  add("network", Layers::SystemCalls,
      "no sockets; runs on CUDA can use local ones, because the driver needs them, and connect only to those of the "
      "driver",
      "can be used");
  add("files", Layers::Files,
      "writable only in the run's own folder, in the drivers' cache for test runs and on devices, with drivers of "
      "NVIDIA also in shared memory; reading is not restricted, except that compilers read only their own files",
      "writable wherever you can write");
  add("system", Layers::SystemCalls,
      "no tracing of other processes, no mounts, no access to the kernel's internals; access rights, owners, times and "
      "attributes of files, and the priority and processor of other processes, are not changed",
      "your other processes and the access rights of your files can be changed");
  add("privileges", Layers::Privileges, "no new privileges, and none of root's except reading all files",
      "set-user-ID programs can be started");
  add("resources", Layers::Limits, "limits on memory, CPU time, open files and the size of a file",
      "only the run time is limited");
  // Every Linux has the supervisor of a run; the other layers differ.
  const bool known = layers.has(Layers::Limits);
  constexpr process::Supervision kAllowed;
  std::string processes = layers.has(Layers::SystemCalls) ? "none in dry runs; " : "";
  processes += layers.has(Layers::Tasks) ? "in other runs at most " + groupedText(kAllowed.processes) + ", with " +
                                               groupedText(kAllowed.tasks) + " threads; "
                                         : "in other runs not limited: " + process::missingReason(Layers::Tasks) +
                                               "; they are counted, and all are ended when there are more than " +
                                               groupedText(kAllowed.processes) + "; ";
  out.push_back(
      {"processes", known && layers.has(Layers::Tasks),
       known ? processes + "processes that a run leaves behind are ended with it" +
                   (layers.has(Layers::SystemCalls) ? "" : ", unless its code ends the supervisor first")
             : "processes that a run leaves behind can keep running: " + process::missingReason(Layers::Limits)});
  Layers tools = layers;
  tools.bits |= Layers::Tasks; // they start no processes
  constexpr uint8_t kAll = Layers::Limits | Layers::Privileges | Layers::SystemCalls | Layers::Files | Layers::Tasks;
  out.push_back({"tools", tools.bits == kAll,
                 "nvdisasm and compilers are " + process::confinedText(layers) +
                     (layers.has(Layers::Files) ? "; they read only their own files and the system's programs, never "
                                                  "your home folder"
                                                : "")});
  return out;
}

std::string consentWarning(Layers layers) {
  if (layers.has(Layers::Tasks) || !layers.has(Layers::Limits)) return {};
  return "you are root, and this system cannot limit how many processes the code starts: it can stop this machine from "
         "starting any others until it is ended";
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
      {Layers::Files,
       "they can write files only in the run's folder, the drivers' cache, devices and, for drivers of NVIDIA, shared "
       "memory",
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
        (consentWarning(layers).empty() ? "" : "\nNot limited here: " + process::missingReason(Layers::Tasks) + ".") +
        std::string("\nThis does not make it safe to run a file that you do not trust; 'blobscope-cli devices' lists "
                    "the details.");
  return text;
}

} // namespace blobscope::run
