#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/library/package.h"
#include "core/protocol/program.h"
#include "core/xref/functions.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Whole models of a library, translated for the runner's interpreter.
namespace blobscope::program {

/// What the code shows about a parameter of a function of a virtual machine.
struct ParameterUse {
  std::string statedBy; ///< the function that gets it, from whose signature its type is; empty: it is stated or unknown
  bool reshaped = false; ///< `statedBy` gets it in another shape, that of the signature: only type and size are known
  bool used = false;     ///< whether the code does more with it than checks
  bool open = false;     ///< a tuple that may have more items than the signature, which are not used
  std::vector<std::string> unclear; ///< functions that get it, whose own types are not known completely
};

/// A function of the model that a user can call.
struct Entry {
  std::string name;          ///< "main"; for a graph "graph"
  uint32_t function = 0;     ///< in Program::functions
  host::Signature signature; ///< of its parameters, as far as it is known
  /// For graphs: names of the results, in order; may be empty.
  std::vector<std::string> results;
  std::vector<ParameterUse> uses; ///< by parameter; empty for graphs
  std::vector<std::string> notes; ///< sentences: parameters that functions take as different types
  bool namesKnown = true;         ///< whether the library states the names of all parameters
};

/// Parameters that are not in the library.
struct Parameters {
  struct Item {
    std::string name;
    protocol::DataType type;
    std::vector<int64_t> shape; ///< outermost first
    Bytes data;
  };
  std::vector<Item> items;
};

struct Model {
  protocol::Program program;
  std::vector<Entry> entries;
  std::string kind; ///< "graph executor", "AOT executor", "Relay VM", "Relax VM"
  /// The tensors of the constants; their elements are concatenated in Program::data at ProgramConstant::offset, each at
  /// a multiple of 64 bytes. By the number of the constant.
  std::vector<std::pair<uint32_t, Bytes>> tensors;
  Parameters weights; ///< of a virtual machine, from ModelFiles::parameters: arguments of its functions
  /// Inputs of a graph and constants of the Relay VM that have a value, which ModelFiles::parameters may replace.
  std::vector<std::string> values;
  /// The tensors that a text in the executable lists as the weights, in the order of the tuple that functions take;
  /// without data, and without a shape where it depends on something. Source: core/formats/vm-executables.md 3.6.
  struct Weight {
    std::string name, dtype;
    std::optional<std::vector<int64_t>> shape;
  };
  std::vector<Weight> listedWeights;
};

/// Files beside the library, for models that are not in it.
struct ModelFiles {
  std::filesystem::path graph;      ///< the graph in JSON; empty: that of the library
  std::filesystem::path parameters; ///< for readParametersAt(); empty: none
};

/// Finds the graph and the parameters that belong to a library without a model, by the names that TVM's tutorials and
/// tools give them: NAME.so, NAME.json, NAME.params; NAME_lib.so, NAME_graph.json, NAME_param.params. A path is empty
/// when there is no such file. Only looks at names.
ModelFiles filesBeside(const std::filesystem::path& library);

/// Translates the model of a library: that of the first module with one, or the graph of `files`. `functions` are those
/// of the package. Errors: RUN-PROGRAM when there is no model or it cannot be run, with the reason; those of reading
/// the files; Cancelled.
Result<Model> modelOf(const library::PackagePtr& package, const xref::Functions& functions, const ModelFiles& files,
                      Monitor& monitor);

/// Whether a module with that type key has a model: a graph, or bytecode of one of the virtual machines.
bool isModel(std::string_view moduleKey);
/// Whether pages show the model of a module with that type key: a graph, or bytecode of the Relax VM.
bool canLookAt(std::string_view moduleKey);
/// Translates the model of one module, to look at it: memory scopes of a Relax VM are accepted. `package`: the file or
/// member that contains the module. `params`: values for constants of a Relay VM that the library does not contain; may
/// be null. Errors as modelOf().
Result<Model> modelOfModule(const library::PackagePtr& package, const library::Module& module,
                            const xref::Functions& functions, Monitor& monitor, const Parameters* params = nullptr);

/// Whether a module of the file itself contains a model, by its type key.
bool mayHaveModel(const library::Package& package);

} // namespace blobscope::program
