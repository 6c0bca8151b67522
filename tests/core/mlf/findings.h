#pragma once

#include "core/mlf/reader.h"
#include "core/mlf/rules/checks.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_support.h"

#include <QString>
#include <QStringList>

#include <initializer_list>
#include <string_view>

namespace blobscope::test {

using MlfCheck = void (*)(const mlf::Model&, mlf::Findings&, Monitor&);

/// "616 metadata.json: storage 5 has …", with "(follows from 119)" where that applies, in the order in which they are
/// found.
inline QStringList findingsOf(std::string_view tar, std::initializer_list<MlfCheck> checks) {
  NullMonitor monitor;
  mlf::Findings findings;
  const Result<mlf::Model> model = mlf::readModel(bytes(tar), findings, monitor);
  if (!model) return {QString::fromStdString(model.error().message())};
  for (const MlfCheck check : checks) check(*model, findings, monitor);
  QStringList out;
  for (const check::Finding& finding : findings.all())
    out += QString::fromStdString(
        std::string(check::row(finding.rule).id.substr(4)) + " " + finding.message() +
        (finding.because ? " (follows from " + std::string(check::row(*finding.because).id.substr(4)) + ")"
                         : std::string()));
  return out;
}

inline QStringList findingsOf(const Mlf& archive, std::initializer_list<MlfCheck> checks) {
  return findingsOf(archive.tar(), checks);
}

/// The findings of rules 4xx, 5xx and 6xx.
inline QStringList findingsOf(const Mlf& archive) {
  return findingsOf(archive, {mlf::checkParameters, mlf::checkGraphs, mlf::checkAcrossFiles});
}

} // namespace blobscope::test
