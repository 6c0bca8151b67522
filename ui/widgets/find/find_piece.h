#pragma once

#include "core/base/text.h"

#include <QString>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace blobscope::ui {

/// A piece of the text in the encoding of the regular expression engine, with a mapping back to byte offsets.
class Piece {
public:
  explicit Piece(std::string_view bytes) {
    const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const auto size = static_cast<qsizetype>(bytes.size());
    if (std::all_of(bytes.begin(), bytes.end(), ascii)) {
      m_text = QString::fromLatin1(bytes.data(), size);
      return;
    }
    m_text.reserve(size);
    m_offsets.reserve(bytes.size() + 1);
    for (std::size_t at = 0; at < bytes.size();) {
      // The longest UTF-8 sequence at this position, at most 4 bytes; one byte if it is invalid.
      const auto first = static_cast<unsigned char>(bytes[at]);
      std::size_t count = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
      if (first >= 0x80 && !isUtf8(bytes.substr(at, count))) count = 1;
      const QString character = QString::fromUtf8(bytes.data() + at, static_cast<qsizetype>(count));
      for (qsizetype i = 0; i < character.size(); ++i) m_offsets.push_back(static_cast<uint32_t>(at));
      m_text += character;
      at += count;
    }
    m_offsets.push_back(static_cast<uint32_t>(bytes.size()));
  }

  const QString& text() const { return m_text; }
  /// The byte at which a UTF-16 unit begins.
  uint64_t offset(qsizetype at) const {
    return m_offsets.empty() ? static_cast<uint64_t>(at) : m_offsets[static_cast<std::size_t>(at)];
  }

  /// The UTF-16 unit that begins at the byte or contains it.
  qsizetype position(uint64_t offset) const {
    if (m_offsets.empty()) return static_cast<qsizetype>(offset);
    return std::lower_bound(m_offsets.begin(), m_offsets.end(), offset) - m_offsets.begin();
  }

private:
  QString m_text;
  std::vector<uint32_t> m_offsets; ///< offset of each UTF-16 unit; empty when the offsets are equal
};

} // namespace blobscope::ui
