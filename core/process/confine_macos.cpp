#include "core/process/confine.h"

/// macOS has no confinement that a program may use for others: programs run with the rights of this one, and
/// confinedText() says so.
namespace blobscope::process {

struct PreparedConfinement::Parts {};

PreparedConfinement::PreparedConfinement(const Confinement&) {}
PreparedConfinement::~PreparedConfinement() = default;
Layers PreparedConfinement::apply(int) const { return {}; }

Layers supportedLayers() { return {}; }
std::string missingReason(Layers::Bit) { return "not confined on this system"; }

} // namespace blobscope::process
