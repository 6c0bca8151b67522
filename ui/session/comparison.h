#pragma once

#include "core/diff/options.h"
#include "core/diff/pages.h"
#include "core/diff/tensors.h"
#include "core/diff/tree.h"
#include "core/library/contents.h"
#include "core/library/package.h"
#include "core/sizes/compare.h"
#include "ui/session/jobs.h"
#include "ui/session/text_pair.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// A is the old file, B the new one.
enum class Side { A, B };

/// A comparison of two files. Immutable.
struct Compared {
  /// What the tree of the comparison does not store about a node.
  struct Node {
    library::RowKind kind = library::RowKind::Section;
    std::string moduleKey; ///< type key of a module
    std::optional<uint64_t> sizeA, sizeB;
  };
  library::PackagePtr a, b;
  diff::DiffTree tree;
  std::vector<Node> nodes; ///< one for each node of the tree
  uint64_t milliseconds = 0;
};
using ComparedPtr = std::shared_ptr<const Compared>;

/// A page of both sides with its difference. Immutable.
struct ComparedPage {
  diff::PageDiff diff;
  TextPairPtr text;                           ///< for texts
  std::optional<diff::TensorDiff> tensor;     ///< for the numbers of two tensors
  std::optional<sizes::SizeComparison> sizes; ///< for two treemaps
};
using ComparedPagePtr = std::shared_ptr<const ComparedPage>;

/// The pages of two matched nodes, or of a node without a match.
struct NodePair {
  struct Page {
    std::string name;
    std::string kind;               ///< view::pageKind(), or "tensor" for the numbers of two tensors
    std::optional<view::Page> a, b; ///< nullopt on a side that has no such page
    ComparedPagePtr compared;       ///< null until it is compared, and when only one side has the page
  };
  std::optional<Ref> a, b;
  std::shared_ptr<const payloads::Tensor> tensorA, tensorB; ///< both or none
  std::vector<Page> pages;
  int first = 0; ///< the page to show first
};

/// Two opened files, their differences, and the selected pair of nodes. All work runs in jobs; a later request cancels
/// an earlier one.
class Comparison : public QObject {
  Q_OBJECT
public:
  Comparison(Jobs& jobs, library::PackagePtr a, QString titleA, library::PackagePtr b, QString titleB,
             QObject* parent = nullptr);
  ~Comparison() override;

  const library::PackagePtr& package(Side side) const { return side == Side::A ? m_a : m_b; }
  const QString& title(Side side) const { return side == Side::A ? m_titleA : m_titleB; }
  /// Starts the comparison; compared() or cancelled() follows, preceded by firstFound() when it takes long. The
  /// previous result stays until then.
  void start();
  void cancel();
  bool isRunning() const { return m_jobs.isRunning(m_tag); }
  const QString& tag() const { return m_tag; }
  Jobs& jobs() { return m_jobs; }
  /// Null until the files are compared.
  const ComparedPtr& result() const { return m_result; }
  /// Swaps A and B and compares again; the selected pair is swapped, too.
  void swap();
  /// Replaces one of the files by another state of it and compares again.
  void setPackage(Side side, library::PackagePtr package, const QString& title);

  const diff::CompareOptions& options() const { return m_options; }
  /// Compares again if the options changed.
  void setOptions(const diff::CompareOptions& options);

  /// Describes the pair of nodes and compares its first page; pairReady() or pairFailed() follows.
  void choose(std::optional<Ref> a, std::optional<Ref> b);
  const NodePair& pair() const { return m_pair; }
  /// Compares a page of the pair; pageReady() or pageFailed() follows, immediately if it is already compared.
  void comparePage(int index);
  bool isPairing() const { return m_jobs.isRunning(m_pairTag) || m_jobs.isRunning(m_pageTag); }
  const QString& pairTag() const { return m_pairTag; }
  const QString& pageTag() const { return m_pageTag; }
  void cancelPair();

  /// Writes the differences as one HTML page, or as Markdown when the path ends with ".md"; reported() or
  /// reportFailed() follows.
  void writeReport(const QString& path);

Q_SIGNALS:
  /// result() contains the differences found so far; the comparison continues.
  void firstFound();
  void compared();
  void cancelled();
  void pairReady();
  void pairFailed(const QString& message);
  void pageReady(int index);
  void pageFailed(int index, const QString& message);
  void pairCancelled();
  void reported(const QString& path);
  void reportFailed(const QString& message);

private:
  Jobs& m_jobs;
  library::PackagePtr m_a, m_b;
  QString m_titleA, m_titleB;
  QString m_tag, m_pairTag, m_pageTag, m_reportTag;
  diff::CompareOptions m_options;
  ComparedPtr m_result;
  uint64_t m_runs = 0; ///< comparisons started
  NodePair m_pair;
};

} // namespace blobscope::ui
