#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/write/archive/tar_layout.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {

Result<Plan> planTarMember(const Bytes& archive, const container::Member& member, uint64_t index, Plan inner,
                           Monitor& monitor) {
  const std::string_view text = archive.view();
  BLOBSCOPE_TRY(layout, tar::readLayout(text, monitor, index + 1));
  if (index >= layout.items.size())
    return archiveError("the header of member " + std::to_string(index) + " is not found");
  const tar::Item& item = layout.items[index];
  // Sparse files are not stored contiguously, and both readers must count the same members.
  BLOBSCOPE_TRY(difference,
                findDifference({member.bytes}, archive.slice(item.content.offset, item.content.size), monitor));
  if (difference) return archiveError("member '" + escaped(member.path) + "' is not stored contiguously");
  const uint64_t size = inner.size();
  MemberBuilder builder(archive, item.content, std::move(inner));
  if (size != item.content.size) {
    for (const tar::Describing& one : item.describing) {
      if (one.type != 'x' && one.type != 'X') continue;
      auto records = tar::readPax(text.substr(one.content.offset, one.content.size));
      if (!records) return archiveError("the extended header at " + hexText(one.header) + " is damaged");
      bool sized = false;
      for (tar::PaxRecord& record : *records)
        if (record.key == "size") record = {"size", std::to_string(size)}, sized = true;
      if (!sized) continue;
      const std::string newText = tar::paxText(*records);
      builder.replace(one.header, tar::withSize(std::string(text.substr(one.header, tar::kBlock)), newText.size()),
                      "size of the extended header");
      builder.upTo(one.content.offset);
      builder.skip(std::min<uint64_t>(tar::rounded(one.content.size), text.size() - one.content.offset));
      builder.literal(newText + std::string(tar::rounded(newText.size()) - newText.size(), '\0'), "size of the member");
    }
    builder.replace(item.header, tar::withSize(std::string(text.substr(item.header, tar::kBlock)), size),
                    "size of the member");
  }
  builder.member();
  const uint64_t oldPadding =
      std::min<uint64_t>(tar::rounded(item.content.size), text.size() - item.content.offset) - item.content.size;
  const uint64_t padding = tar::rounded(size) - size;
  if (padding != oldPadding) {
    builder.skip(oldPadding);
    builder.literal(std::string(padding, '\0'), "padding");
  }
  return builder.take();
}

} // namespace blobscope::write
