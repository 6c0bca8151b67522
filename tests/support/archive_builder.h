#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

/// Archives made by hand, so that every field can be wrong.
namespace blobscope::test {

struct ArchiveFile {
  std::string path, content;
};

/// A field of a tar or ar header: text, padded with `fill`.
inline std::string padded(std::string text, std::size_t size, char fill) {
  text.resize(size, fill);
  return text;
}

inline std::string octal(uint64_t value, int digits) {
  std::string out(static_cast<std::size_t>(digits), '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, value >>= 3) *at = static_cast<char>('0' + (value & 7));
  return out;
}

/// One ustar header (POSIX.1-1988) with a correct checksum. `type`: '0' file, '5' folder, '2' link.
inline std::string tarHeader(const std::string& path, uint64_t size, char type = '0', const std::string& link = {}) {
  std::string header = padded(path, 100, '\0') + "0000644" + '\0' + "0000000" + '\0' + "0000000" + '\0' +
                       octal(size, 11) + '\0' + octal(0, 11) + '\0' + std::string(8, ' ') + type +
                       padded(link, 100, '\0') +
                       std::string("ustar\0"
                                   "00",
                                   8);
  header.resize(512, '\0');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 8, octal(sum, 6) + '\0' + ' ');
  return header;
}

inline std::string tarOf(const std::vector<ArchiveFile>& files) {
  std::string out;
  for (const ArchiveFile& file : files) {
    out += tarHeader(file.path, file.content.size()) + file.content;
    out.resize((out.size() + 511) / 512 * 512, '\0');
  }
  return out + std::string(1024, '\0');
}

/// gzip around any bytes.
inline std::string gzipOf(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(content.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// One member of an ar archive; `name` as written in the header.
inline std::string arMember(const std::string& name, const std::string& content, const std::string& sizeField = {}) {
  std::string out = padded(name, 16, ' ') + padded("0", 12, ' ') + padded("0", 6, ' ') + padded("0", 6, ' ') +
                    padded("644", 8, ' ') +
                    padded(sizeField.empty() ? std::to_string(content.size()) : sizeField, 10, ' ') + "`\n" + content;
  if (content.size() % 2 == 1) out += '\n';
  return out;
}

/// A zip with stored members, as Android's tools write libraries. Checksums are not read.
inline std::string storedZip(const std::vector<ArchiveFile>& files) {
  const auto number = [](uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
    return out;
  };
  std::string out, directory;
  for (const ArchiveFile& file : files) {
    const std::string crc = number(
        ::crc32(0, reinterpret_cast<const Bytef*>(file.content.data()), static_cast<uInt>(file.content.size())), 4);
    const std::string common = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + crc +
                               number(file.content.size(), 4) + number(file.content.size(), 4) +
                               number(file.path.size(), 2) + number(0, 2);
    directory += "PK\1\2" + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) +
                 number(out.size(), 4) + file.path;
    out += "PK\3\4" + common + file.path + file.content;
  }
  const std::size_t begin = out.size();
  out += directory;
  return out + "PK\5\6" + number(0, 4) + number(files.size(), 2) + number(files.size(), 2) +
         number(directory.size(), 4) + number(begin, 4) + number(0, 2);
}

inline std::string arOf(const std::vector<ArchiveFile>& files) {
  std::string out = "!<arch>\n";
  for (const ArchiveFile& file : files) out += arMember(file.path + "/", file.content);
  return out;
}

} // namespace blobscope::test
