#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/library/files.h"
#include "core/library/open.h"
#include "core/sizes/page.h"

#include <map>
#include <memory>

namespace blobscope::sizes {
namespace {

constexpr std::size_t kPartsInFolder = 60; ///< children of a node of a file in a folder

/// Files in their folders.
class Folders {
public:
  void add(std::string_view path, Node node) {
    Folder* at = &m_root;
    for (std::size_t slash = path.find('/'), depth = 0; slash != std::string_view::npos && depth < kDepth;
         slash = path.find('/'), ++depth) {
      if (slash > 0 && path.substr(0, slash) != ".") {
        auto& inner = at->folders[std::string(path.substr(0, slash))];
        if (!inner) inner = std::make_unique<Folder>();
        at = inner.get();
      }
      path.remove_prefix(slash + 1);
    }
    at->files.push_back(std::move(node));
  }
  std::vector<Node> take(const std::optional<Ref>& ref, const Work& work) { return nodesOf(m_root, ref, work); }

private:
  static constexpr std::size_t kDepth = 32;
  struct Folder {
    std::map<std::string, std::unique_ptr<Folder>> folders;
    std::vector<Node> files;
  };

  static std::vector<Node> nodesOf(Folder& folder, const std::optional<Ref>& ref, const Work& work) {
    std::vector<Node> nodes = std::move(folder.files);
    for (auto& [name, inner] : folder.folders) {
      std::vector<Node> below = nodesOf(*inner, ref, work);
      Node node = Node::leaf(escaped(name), Kind::Container, 0, ref, "folder");
      if (below.size() == 1 && below.front().note == "folder") { // a folder with nothing but a folder
        node = std::move(below.front());
        node.name = escaped(name) + "/" + node.name;
        nodes.push_back(std::move(node));
        continue;
      }
      for (const Node& child : below) node.bytes += child.bytes;
      addChildren(node, std::move(below), work);
      nodes.push_back(std::move(node));
    }
    return nodes;
  }

  Folder m_root;
};

/// The content of a file in a folder; a file in no format that is opened has no parts.
Result<Node> nodeOfFile(const library::ListedFile& file, uint64_t bytes, Monitor& monitor) {
  const std::string name = escaped(pathText(file.path.filename()));
  const auto package = library::open(file.path, monitor);
  if (!package && package.error().code() == ErrorCode::Cancelled) return Error(DiagnosticId::Cancelled, {});
  if (!package || (*package)->bytes.size() != bytes)
    return Node::leaf(name, Kind::Tables, bytes, std::nullopt, package ? "changes while it is read" : "other file");
  Work work(monitor, kPartsInFolder);
  Node node = fileNode(**package, FreeRanges(bytes), work);
  if (work.wasStopped()) return Error(DiagnosticId::Cancelled, {});
  return node;
}

} // namespace

std::vector<Node> nodesInFolders(std::vector<std::pair<std::string, Node>> files, const std::optional<Ref>& ref,
                                 const Work& work) {
  Folders folders;
  for (auto& [path, node] : files) folders.add(path, std::move(node));
  return folders.take(ref, work);
}

Result<view::TreemapPage> folderSizes(const std::filesystem::path& folder, Monitor& monitor) {
  BLOBSCOPE_TRY(listed, library::listFiles({folder}, monitor));
  std::vector<std::pair<std::string, Node>> files;
  uint64_t done = 0, others = 0;
  for (const library::ListedFile& file : listed) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("reading " + escaped(file.shown, 60), done++, listed.size());
    std::error_code failure;
    const uint64_t bytes = std::filesystem::file_size(file.path, failure);
    if (failure || bytes == 0) continue;
    BLOBSCOPE_TRY(node, nodeOfFile(file, bytes, monitor));
    others += node.note == "other file" ? 1 : 0;
    node.file = file.shown;
    files.emplace_back(portableText(pathFrom(file.shown)), std::move(node));
  }
  Work work(monitor);
  std::vector<Node> below = nodesInFolders(std::move(files), std::nullopt, work);
  const std::string name = pathText(folder.filename().empty() ? folder.parent_path().filename() : folder.filename());
  Node root = Node::leaf(escaped(name), Kind::Container, 0, std::nullopt, "folder");
  for (const Node& node : below) root.bytes += node.bytes;
  addChildren(root, std::move(below), work);
  std::vector<std::string> notes = {
      countText(listed.size(), "file") +
      (others > 0 ? ", " + groupedText(others) + " of them in no format that is opened." : ".")};
  return pageOf(root, std::move(notes));
}

} // namespace blobscope::sizes
