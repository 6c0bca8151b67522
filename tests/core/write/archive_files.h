#pragma once

#include "core/container/archive/archive.h"
#include "tests/core/write/plan_check.h"
#include "tests/support/archive_builder.h"
#include "tests/support/macho_builder.h"

#include <functional>
#include <string>
#include <vector>

/// Archives of every format with a member that holds a blob.
namespace blobscope::test::archive_files {

using namespace std::string_literals;

/// A plan of a member that becomes zeros.
inline write::Plan planOfZeros(uint64_t size) {
  write::PlanBuilder builder;
  builder.zeros(size, "all");
  return builder.take({write::Strategy::Resize});
}

/// A member that can take any size: C source, as `devc.c` of an exported archive.
inline std::string sourceOf(const std::string& blob) {
  std::string text = "const unsigned char __tvm_dev_mblob[" + std::to_string(blob.size()) + "] = {\n  ";
  for (std::size_t i = 0; i < blob.size(); ++i) {
    char item[8];
    std::snprintf(item, sizeof item, "0x%02x", static_cast<unsigned>(static_cast<unsigned char>(blob[i])));
    text += (i == 0 ? "" : i % 20 == 0 ? ",\n  " : ",") + std::string(item);
  }
  return text + "\n};\n";
}

inline std::string machoOf(const std::string& blob, uint32_t cpu) {
  MachOBuilder file;
  file.cpuType = cpu;
  return file.function("_run").data("___tvm_dev_mblob", blob).data("_behind", "5678").build();
}

inline std::string big(uint64_t value, int size = 4) {
  std::string out;
  for (int i = size; i-- > 0;) out += static_cast<char>(value >> 8 * i);
  return out;
}
inline std::string little(uint64_t value, int size = 4) {
  std::string out = big(value, size);
  return {out.rbegin(), out.rend()};
}

inline const std::string kFirst(77, 'f'), kLast(101, 'l');

/// An archive of three members with a symbol table that names each of them, whose places depend on the sizes.
inline std::string arOf(const std::string& variant, const std::string& content) {
  const bool bsd = variant.starts_with("bsd") || variant == "darwin";
  std::string tables, result;
  // The first round finds the size of the tables, the second one the places, the last one writes them.
  for (int round = 0; round < 3; ++round) {
    result = "!<arch>\n" + tables;
    std::vector<uint64_t> places;
    for (const auto& [name, bytes] :
         {std::pair{"first.o"s, kFirst}, std::pair{"devc_with_a_long_name.c"s, content}, std::pair{"last.o"s, kLast}}) {
      places.push_back(result.size());
      if (bsd) {
        std::string inside = padded(name, 28, '\0') + bytes;
        if (variant == "darwin") inside.resize((inside.size() + 7) / 8 * 8, '\n');
        result += arMember("#1/28", inside);
      } else {
        result += arMember(name.size() > 15 ? "/0" : name + "/", bytes);
      }
    }
    // Places of the first, the second, the third, and the second again.
    const std::vector<uint64_t> used = {places[0], places[1], places[2], places[1]};
    const std::string names = "a\0b\0c\0d\0"s;
    std::string table;
    if (variant == "gnu" || variant == "coff") {
      table = big(used.size());
      for (const uint64_t place : used) table += big(place);
      tables = arMember("/", table + names);
      if (variant == "coff") {
        table = little(3);
        for (const uint64_t place : places) table += little(place);
        tables += arMember("/", table + little(4) + little(1, 2) + little(2, 2) + little(3, 2) + little(2, 2) + names);
      }
    } else if (variant == "sym64") {
      table = big(used.size(), 8);
      for (const uint64_t place : used) table += big(place, 8);
      tables = arMember("/SYM64/", table + names);
    } else {
      const bool wide = variant == "bsd64", bigEndian = variant == "bsd, big-endian";
      const int size = wide ? 8 : 4;
      const auto number = [&](uint64_t value) { return bigEndian ? big(value, size) : little(value, size); };
      table = number(used.size() * 2 * static_cast<unsigned>(size));
      for (std::size_t i = 0; i < used.size(); ++i) table += number(2 * i) + number(used[i]);
      table += number(names.size()) + names;
      tables = variant == "darwin" ? arMember("#1/20", padded("__.SYMDEF SORTED", 20, '\0') + table)
                                   : arMember(wide ? "__.SYMDEF_64" : "__.SYMDEF", table);
    }
    if (!bsd)
      tables += arMember("//", variant == "coff" ? "devc_with_a_long_name.c\0"s : "devc_with_a_long_name.c/\n"s);
  }
  return result;
}

struct ZipFile {
  std::string path, content;
  bool deflated = false, described = false, zip64 = false;
};

inline std::string deflated(const std::string& content) {
  const std::string gzip = gzipOf(content);
  return gzip.substr(10, gzip.size() - 18);
}

inline uint32_t crcOf(const std::string& content) {
  return static_cast<uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
}

/// Zip by hand: local headers, data, descriptors, directory in the reverse order, end with a comment.
inline std::string zipOf(const std::vector<ZipFile>& files) {
  std::string out;
  std::vector<std::string> rows;
  for (const ZipFile& file : files) {
    const std::string data = file.deflated ? deflated(file.content) : file.content;
    const std::string sizes = little(crcOf(file.content)) + little(data.size()) + little(file.content.size());
    const std::string common = little(20, 2) + little(file.described ? 8 : 0, 2) + little(file.deflated ? 8 : 0, 2) +
                               little(0x6000, 2) + little(0x5a21, 2);
    rows.push_back("PK\x01\x02" + little(20, 2) + common + sizes + little(file.path.size(), 2) + little(0, 2) +
                   little(0, 2) + little(0, 2) + little(0, 2) + little(0) + little(out.size()) + file.path);
    const std::string extra =
        file.zip64 ? little(1, 2) + little(16, 2) + little(file.content.size(), 8) + little(data.size(), 8)
                   : "\xfe\xca\0\0"s;
    const std::string local = file.zip64       ? sizes.substr(0, 4) + std::string(8, '\xff')
                              : file.described ? std::string(12, '\0')
                                               : sizes;
    out += "PK\x03\x04" + common + local + little(file.path.size(), 2) + little(extra.size(), 2) + file.path + extra +
           data;
    if (file.described) out += "PK\x07\x08" + sizes;
  }
  std::string directory;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) directory += *row;
  return out + directory + "PK\x05\x06" + little(0) + little(rows.size(), 2) + little(rows.size(), 2) +
         little(directory.size()) + little(out.size()) + little(7, 2) + "comment";
}

/// gzip with all that a header can hold.
inline std::string gzipWithHeader(const std::string& content) {
  return "\x1f\x8b\x08\x1e"s + little(1'700'000'000) + "\x02\x07"s + little(5, 2) + "extra" + "model.tar\0"s +
         "a comment\0"s + little(0x1234, 2) + gzipOf(content).substr(10);
}

inline std::string paxRecords(const std::string& content) {
  const std::string size = " size=" + std::to_string(content.size()) + "\n";
  // Ten bytes or more with their own length in front.
  return "18 comment=before\n" + std::to_string(size.size() + 2) + size + "17 comment=after\n";
}

inline std::string paxTar(const std::string& content) {
  std::string out = tarHeader("first.o", kFirst.size()) + kFirst;
  const auto fill = [&] { out.resize((out.size() + 511) / 512 * 512, '\0'); };
  fill();
  const std::string records = paxRecords(content);
  out += tarHeader("PaxHeader/devc.c", records.size(), 'x') + records;
  fill();
  out += tarHeader("devc.c", content.size()) + content;
  fill();
  out += tarHeader("folder", 12'345, '5') + tarHeader("last.o", kLast.size()) + kLast;
  fill();
  return out + std::string(1024, '\0');
}

using Builder = std::function<std::string(const std::string&)>;
struct Archive {
  std::string name;
  Builder build;
  std::vector<std::string> members;
  bool packed = false; ///< compared by its members only
};

inline std::vector<Archive> archives() {
  const auto tar = [](const std::string& content) {
    return tarOf({{"first.o", kFirst}, {"devc.c", content}, {"last.o", kLast}});
  };
  const auto zip = [](bool isDeflated, bool described) {
    return [=](const std::string& content) {
      return zipOf({{"first.o", kFirst, isDeflated, described},
                    {"devc.c", content, isDeflated, described},
                    {"x/last.o", kLast, isDeflated, described}});
    };
  };
  std::vector<Archive> all;
  for (const char* const variant : {"gnu", "coff", "sym64", "bsd", "bsd64", "bsd, big-endian", "darwin"})
    all.push_back({"ar, "s + variant,
                   [=](const std::string& content) { return arOf(variant, content); },
                   {"devc_with_a_long_name.c"}});
  all.push_back({"tar", tar, {"devc.c"}});
  all.push_back({"tar with pax sizes", paxTar, {"devc.c"}});
  all.push_back({"zip", zip(false, false), {"devc.c"}});
  all.push_back({"zip with descriptors", zip(false, true), {"devc.c"}});
  all.push_back({"zip, deflated", zip(true, false), {"devc.c"}, true});
  all.push_back({"zip, deflated with descriptors", zip(true, true), {"devc.c"}, true});
  all.push_back({"tar.gz", [=](const std::string& content) { return gzipOf(tar(content)); }, {"devc.c"}, true});
  all.push_back({"tar.gz with a full header",
                 [=](const std::string& content) { return gzipWithHeader(tar(content)); },
                 {"devc.c"},
                 true});
  all.push_back({"tar.zst",
                 [=](const std::string& content) {
                   NullMonitor monitor;
                   return std::string(container::packZstd(bytes(tar(content)), monitor)->view());
                 },
                 {"devc.c"},
                 true});
  all.push_back({"gzip", [](const std::string& content) { return gzipOf(content); }, {"data"}, true});
  all.push_back(
      {"ar in tar",
       [](const std::string& content) { return tarOf({{"libdevc.a", arOf("gnu", content)}, {"last.o", kLast}}); },
       {"libdevc.a", "devc_with_a_long_name.c"}});
  all.push_back({"tar in zip",
                 [=](const std::string& content) { return zipOf({{"model.tar", tar(content)}, {"last.o", kLast}}); },
                 {"model.tar", "devc.c"}});
  all.push_back({"zip in tar.gz",
                 [=](const std::string& content) {
                   return gzipOf(tarOf({{"a.zip", zip(true, false)(content)}, {"last.o", kLast}}));
                 },
                 {"a.zip", "devc.c"},
                 true});
  return all;
}

} // namespace blobscope::test::archive_files
