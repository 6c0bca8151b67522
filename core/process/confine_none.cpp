#include "core/process/confine.h"

/// Systems without Linux' means: programs run with the rights of this one, and that is said.
namespace blobscope::process {

struct PreparedConfinement::Parts {};

PreparedConfinement::PreparedConfinement(const Confinement&) {}
PreparedConfinement::~PreparedConfinement() = default;
Layers PreparedConfinement::apply() const { return {}; }

Layers supportedLayers() { return {}; }
std::string whyMissing(Layers::Bit) { return "not confined on this system"; }

} // namespace blobscope::process
