#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/preflight/folder.h"
#include "core/program/model.h"
#include "core/run/options.h"
#include "core/xref/functions.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Weights in files beside a library: which tensor is which parameter of the model.
namespace blobscope::run {

/// How tensors belong to the parameters of one function.
struct WeightsMatch {
  struct Pair {
    std::size_t item = 0;                ///< in Parameters::items
    std::size_t parameter = 0;           ///< in Signature::parameters
    std::optional<std::size_t> position; ///< of an item, when the parameter is a tuple
    std::string problem;                 ///< how type or shape differ, as a sentence; empty: they fit or are not known
    bool known = false;                  ///< whether type and shape are known and were compared
  };
  /// A parameter, or an item of one, without a tensor.
  struct Missing {
    std::string name;
    std::size_t parameter = 0;
  };
  std::vector<Pair> pairs;
  std::vector<std::size_t> unused; ///< tensors without a parameter
  std::vector<Missing> missing;    ///< those after the first parameter with a tensor: the inputs of a model come before
  std::string order;               ///< how parameters were found if not by equal names, as a sentence; may be empty
};

/// Finds the parameter of each tensor:
/// 1. the one with its name, or the item of a tuple whose names the executable lists (Model::listedWeights);
/// 2. if as many tensors remain as a tuple has items: the items, by number if all names are the same word with numbers
///    from 0 ("param_0"), otherwise in the order of the file;
/// 3. if all remaining names are equal to names of parameters except for '.' and '_' and a prefix "p_", these;
/// 4. if all remaining names are numbered, and no tensor has the name of a parameter: the last parameters of the
///    function, by number.
/// Source for 2: core/formats/blob.md 10; for 3 and 4: apache/tvm v0.27
/// python/tvm/relax/frontend/torch/exported_program_translator.py (parameters are named `p_` and the name with '_'),
/// docs/get_started/tutorials/ide_to_mlc.py (`np.savez` with names `p_0`, `p_1` …).
WeightsMatch matchWeights(const program::Entry& entry, const std::vector<program::Model::Weight>& listed,
                          const program::Parameters& weights);

/// Makes the tensors the inputs of the function, as RunOptions::contents. Inputs that are set stay. Parameters whose
/// type is not known get that of their tensor. Adds sentences about tensors without a parameter, parameters without a
/// tensor and the order to `notes`. Error: RUN-INPUT when no tensor has a parameter, or a type or shape does not fit.
Result<Done> placeWeights(program::Entry& entry, const std::vector<program::Model::Weight>& listed,
                          const program::Parameters& weights, RunOptions& options, std::vector<std::string>& notes);

/// Compares names, types and shapes of the tensors with the parameters of the model, in the file itself or a member; in
/// a library for any system, since nothing is executed. Functions that take none of the tensors are left out unless no
/// function takes any. `name`: of the weights, for messages. Returns findings PRE-PARAMS; those that are not certain
/// say what decides. Error: only Cancelled.
Result<preflight::FileCheck> checkWeights(const library::PackagePtr& package, const program::Parameters& weights,
                                          std::string_view name, Monitor& monitor);

} // namespace blobscope::run
