#include "core/view/listing.h"

namespace blobscope::view {

Result<ConstantIdentity> ListingConstants::identity(int64_t number, Monitor& monitor) const {
  {
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_known.find(number); known != m_known.end()) return known->second;
  }
  // Two threads may both compute it; that is cheaper than making one wait for the other.
  BLOBSCOPE_TRY(found, m_identify(number, monitor));
  const std::lock_guard lock(m_mutex);
  return m_known.try_emplace(number, std::move(found)).first->second;
}

void Listing::add(ListingMark::Kind kind, int64_t number, std::string_view words) {
  marks.push_back({text.size(), static_cast<uint32_t>(words.size()), kind, number});
  text += words;
}

void Listing::append(const Listing& other) {
  for (ListingMark mark : other.marks) {
    mark.begin += text.size();
    marks.push_back(mark);
  }
  text += other.text;
}

} // namespace blobscope::view
