#!/usr/bin/env python3
"""Whole models: `blobscope-cli run --model` computes what the TVM runtime computes with the same library and inputs.

    test_models.py BLOBSCOPE_CLI

The reference is the package `tvm` of the running Python. A current one (apache-tvm) exports small Relax models as
bytecode and as machine code, and runs these, a bundled sample and Relax libraries of the corpus; values between the
calls come from the instrument of TVM's virtual machine. A package with Relay (TVM up to 0.18, such as the one inside the
wheel bitblas 0.1.0.post1) exports small Relay models for the graph executor, the ahead-of-time executor and the Relay
virtual machine, and runs these and older libraries of the corpus; values of nodes come from TVM's debug executor.

The machine code of the library computes both results, so they should be the same bits; the largest difference is printed
and may be 1e-5 of the largest value. Prints one line per check, writes BLOBSCOPE_RESULTS/test_models.xml (JUnit) when
that is set, and exits with 1 when a check failed. Whatever is missing is skipped.

With "-" as the program only the reference runs. BLOBSCOPE_MODELS_KEEP names a folder that gets LIBRARY.so,
LIBRARY.inputs/NAME.npy, LIBRARY.outputs/K.npy, LIBRARY.nodes (all tensors that each call got; the last ones are its
outputs; for graphs only the outputs) and LIBRARY.json of the reference.
"""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_tvm_runtime import SAMPLES, Cli, Report, equal  # noqa: E402

CORPUS = Path(os.environ.get("BLOBSCOPE_CORPUS") or Path(__file__).resolve().parents[3] / "shared" / "corpus") / "libraries"
KEEP = os.environ.get("BLOBSCOPE_MODELS_KEEP")
TOLERANCE = 1e-5


@dataclass
class Node:
    """A call between input and output: of a function of the library, with the tensors it wrote."""

    NAMELESS = "call_tir_dyn"  # the function is an object without a name

    name: str
    function: str
    outputs: list


@dataclass
class Values:
    """The results of one run: (name, array) for each output, such as "output.1.0" in nested tuples."""

    outputs: list
    nodes: list = field(default_factory=list)


@dataclass
class Case:
    name: str
    inputs: dict  # parameter to array, in order
    entry: str = "main"
    numbers: dict = field(default_factory=dict)  # --set NAME=N, for parameters that are no tensors
    tap: bool = True  # compare the values between the calls
    arguments: object = None  # makes what the reference is called with, when that is not the inputs
    variant: str = ""  # tells cases of one library apart
    files: list = field(default_factory=list)  # more arguments


# --- blobscope-cli ----------------------------------------------------------------------------------------------------


def read_outputs(document, folder):
    """The one place that knows the layout of the output folder and of the JSON document."""
    function = document["functions"][0]
    equal((len(document["functions"]), function["status"]), (1, "ok"), f"functions, status ({function['message']})")
    plain = plain_name(function["name"])
    outputs = []
    for one in function["outputs"]:
        file = one.get("file") or f"{plain}.{plain_name(one['name'])}.npy"
        outputs.append((one["name"], numpy.load(folder / file)))
    # nodes/INDEX-FUNCTION.K.npy; the index has leading zeros. Only nodes that were tapped have files.
    found = [(re.fullmatch(r"(\d+)-.*\.(\d+)\.npy", path.name), path) for path in folder.glob("nodes/*.npy")]
    files = {(int(match[1]), int(match[2])): path for match, path in found if match}
    nodes = []
    for index, node in enumerate(function.get("nodes") or document.get("nodes") or []):
        paths = [folder / one["file"] if one.get("file") else files.get((index, k)) for k, one in enumerate(node["outputs"])]
        arrays = [numpy.load(path) for path in paths if path]
        for one, array in zip(node["outputs"], arrays):
            equal((list(array.shape), str(array.dtype)), (one["shape"], one["dtype"]), f"the file of {node['name']} and the JSON")
        nodes.append(Node(node["name"], node["function"], arrays))
    return Values(outputs, nodes)


def plain_name(name):
    """A name as part of the name of a file."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name[:100])


def run_model(cli, library, case, folder):
    """Runs the model with blobscope-cli."""
    arguments = [*case.files, *([] if case.entry == "main" else ["--entry", case.entry])]
    for number, (name, value) in enumerate(case.inputs.items()):
        numpy.save(folder / f"input{number}.npy", value)
        arguments += ["--input", f"{name}={folder / f'input{number}.npy'}"]
    for name, value in case.numbers.items():
        arguments += ["--set", f"{name}={value}"]
    if case.tap:
        arguments += ["--tap", "all"]
    out = folder / "out"
    command = [cli.program, "run", library, "--model", *arguments, "--output-dir", out, "--yes", "--json"]
    run = subprocess.run(list(map(str, command)), capture_output=True, timeout=300)
    told = run.stdout.decode() or run.stderr.decode()
    equal(run.returncode, 0, f"exit code of {' '.join(map(str, command))} ({told[:1500]})")
    return read_outputs(json.loads(run.stdout), out)


def offers_models(cli):
    return b"--model" in subprocess.run([cli.program, "run", "--help"], capture_output=True, timeout=60).stdout


# --- comparison -------------------------------------------------------------------------------------------------------


def difference(actual, expected, what):
    """The largest difference, relative to the largest value; 0 for the same bits."""
    equal((actual.shape, actual.dtype), (expected.shape, expected.dtype), f"shape and type of {what}")
    if actual.tobytes() == expected.tobytes():
        return 0.0
    if expected.dtype.kind != "f":
        raise AssertionError(f"{what}: other values: {actual.ravel()[:8]}, expected {expected.ravel()[:8]}")
    mine, theirs = actual.astype("float64"), expected.astype("float64")
    finite = numpy.isfinite(theirs)
    special = numpy.array_equal(mine[~finite], theirs[~finite], equal_nan=True) and numpy.isfinite(mine[finite]).all()
    equal(special, True, f"{what}: infinities and NaN are at the same places")
    largest = numpy.abs(theirs[finite]).max(initial=0.0) or 1.0
    found = float(numpy.abs(mine[finite] - theirs[finite]).max(initial=0.0) / largest)
    if found > TOLERANCE:
        at = numpy.unravel_index(numpy.abs(numpy.where(finite, mine - theirs, 0)).argmax(), theirs.shape)
        raise AssertionError(f"{what}: differs by {found:.3g} of the largest value, at {tuple(map(int, at))}: "
                             f"{actual[at]!r}, expected {expected[at]!r}")
    return found


def compare_outputs(mine, theirs, by_name):
    if by_name:
        equal([name for name, _ in mine.outputs], [name for name, _ in theirs.outputs], "names of the outputs")
    equal(len(mine.outputs), len(theirs.outputs), "number of outputs")
    return max((difference(one[1], other[1], other[0]) for one, other in zip(mine.outputs, theirs.outputs)), default=0.0)


def compare_nodes(mine, theirs):
    """The n-th call of each function wrote the same. Returns the largest difference and the number of values."""
    expected = defaultdict(list)
    for node in theirs.nodes:
        expected[plain_name(node.function)].append(node)
    calls = defaultdict(list)
    for node in mine.nodes:
        name = plain_name(node.function)
        hidden = Node.NAMELESS in expected and name not in expected and not name.startswith("shape_func")
        calls[Node.NAMELESS if hidden else name].append(node)
    largest, values, names = 0.0, 0, sorted(calls)
    for function, nodes in expected.items():
        equal(len(calls[function]), len(nodes), f"calls of '{function}' (there are nodes of {names})")
        for number, (one, other) in enumerate(zip(calls[function], nodes)):
            what = f"call {number} of '{function}'"
            # The reference knows only the arguments; the outputs are the last ones.
            equal(0 < len(one.outputs) <= len(other.outputs), True, f"outputs of {what}: {len(one.outputs)}, plausible")
            for k, (value, wanted) in enumerate(zip(one.outputs, other.outputs[-len(one.outputs):])):
                largest = max(largest, difference(value, wanted, f"output {k} of {what}"))
                values += 1
    return largest, values


def keep(library, case, values):
    """Stores what the reference computed."""
    if not KEEP:
        return
    stem = Path(library).stem + ("" if case.entry == "main" else f".{case.entry}") + case.variant
    for kind in ("inputs", "outputs", "nodes"):
        shutil.rmtree(Path(KEEP) / f"{stem}.{kind}", ignore_errors=True)
        (Path(KEEP) / f"{stem}.{kind}").mkdir(parents=True)
    shutil.copyfile(library, Path(KEEP) / f"{Path(library).stem}.so")
    for name, value in case.inputs.items():
        numpy.save(Path(KEEP) / f"{stem}.inputs" / f"{name.replace('/', '_')}.npy", value)
    for number, (_, value) in enumerate(values.outputs):
        numpy.save(Path(KEEP) / f"{stem}.outputs" / f"{number}.npy", value)
    for number, node in enumerate(values.nodes):
        for k, value in enumerate(node.outputs):
            numpy.save(Path(KEEP) / f"{stem}.nodes" / f"{number:04d}-{node.function[:120]}.{k}.npy", value)
    types = {name: [list(value.shape), str(value.dtype)] for name, value in case.inputs.items()}
    results = [[name, list(value.shape), str(value.dtype)] for name, value in values.outputs]
    described = {"entry": case.entry, "inputs": types, "set": case.numbers, "outputs": results,
                 "calls": [node.function for node in values.nodes]}
    (Path(KEEP) / f"{stem}.json").write_text(json.dumps(described, indent=1))


def check_model(report, cli, library, case, reference, by_name=True):
    """One library against the reference, a function that returns Values."""

    def body():
        with tempfile.TemporaryDirectory() as temporary:
            theirs = reference()
            keep(library, case, theirs)
            if not cli:
                return
            mine = run_model(cli, library, case, Path(temporary))
        largest = compare_outputs(mine, theirs, by_name)
        text = f"{len(theirs.outputs)} outputs, largest difference {largest:.3g}"
        if case.tap:
            between, values = compare_nodes(mine, theirs)
            equal(bool(theirs.nodes), values > 0, "values between the calls were compared")
            text += f"; {values} values between the calls, largest difference {between:.3g}"
        print(f"  {case.name}: {text}")

    report.check(case.name, body)


def random(shape, dtype="float32", seed=1):
    generator = numpy.random.default_rng(seed)
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        return generator.integers(0, 5, shape).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


# --- Relax ------------------------------------------------------------------------------------------------------------

# name: (text, inputs, numbers); sizes come from the files of the inputs. `w(…)` is a constant with random values.
RELAX_MODELS = {
    "mlp": ("""
    @R.function
    def main(x: R.Tensor((2, 8), "float32")):
        with R.dataflow():
            h = R.nn.relu(R.add(R.matmul(x, w(8, 16)), w(16)))
            y = R.nn.softmax(R.add(R.matmul(h, w(16, 5)), w(5)))
            R.output(y)
        return y
""", {"x": ((2, 8), "float32")}, {}),
    "conv": ("""
    @R.function
    def main(data: R.Tensor((1, 3, 16, 16), "float32")):
        with R.dataflow():
            a = R.nn.relu(R.add(R.nn.conv2d(data, w(8, 3, 3, 3), padding=1), w(1, 8, 1, 1)))
            b = R.nn.max_pool2d(a, (2, 2), (2, 2))
            c = R.nn.conv2d(b, w(8, 1, 3, 3), padding=1, groups=8)
            d = R.add(R.nn.silu(c), b)
            y = R.nn.softmax(R.matmul(R.mean(d, axis=[2, 3]), w(8, 4)))
            R.output(y)
        return y
""", {"data": ((1, 3, 16, 16), "float32")}, {}),
    "weights": ("""
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), weight: R.Tensor((8, 3), "float32"), scale: R.Tensor((), "float32")):
        with R.dataflow():
            y = R.multiply(R.matmul(x, weight), scale)
            R.output(y)
        return y
""", {"x": ((4, 8), "float32"), "weight": ((8, 3), "float32"), "scale": ((), "float32")}, {}),
    "symbolic": ("""
    @R.function
    def main(x: R.Tensor(("n", 8), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.nn.relu(R.matmul(x, w(8, 6)))
            b = R.permute_dims(R.reshape(a, (n, 2, 3)), (0, 2, 1))
            y = R.reshape(R.concat([b, b], axis=0), (n * 12,))
            R.output(y)
        return y
""", {"x": ((5, 8), "float32")}, {}),
    "empty": ("""
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("m", 4), "float32")):
        with R.dataflow():
            z = R.concat([R.exp(x), y], axis=0)
            R.output(z)
        return z
""", {"x": ((0, 4), "float32"), "y": ((3, 4), "float32")}, {}),
    "tuples": ("""
    @R.function
    def main(a: R.Tensor((4, 6), "float32"), b: R.Tensor((4, 6), "int32")):
        with R.dataflow():
            s = R.split(a, 2, axis=1)
            p = R.exp(s[0])
            q = R.sum(b, axis=1)
            r = R.add(s[1], R.astype(R.strided_slice(b, [1], [0], [3]), "float32"))
            y = (p, (q, r), a)
            R.output(y)
        return y
""", {"a": ((4, 6), "float32"), "b": ((4, 6), "int32")}, {}),
    "types": ("""
    @R.function
    def main(a: R.Tensor((3, 5), "float16"), b: R.Tensor((3, 5), "uint8"), c: R.Tensor((5,), "int64"), d: R.Tensor((3, 1), "bool")):
        with R.dataflow():
            p = R.where(d, R.multiply(a, a), R.astype(b, "float16"))
            q = R.add(R.astype(b, "int64"), c)
            y = (p, q, R.greater(q, R.const(3, "int64")), R.astype(p, "float64"))
            R.output(y)
        return y
""", {"a": ((3, 5), "float16"), "b": ((3, 5), "uint8"), "c": ((5,), "int64"), "d": ((3, 1), "bool")}, {}),
    "branch": ("""
    @R.function
    def main(x: R.Tensor((3, 4), "float32"), flag: R.Tensor((), "bool")) -> R.Tensor((3, 4), "float32"):
        a = R.add(x, R.const(1, "float32"))
        if flag:
            b = R.tanh(a)
            y = R.multiply(b, b)
        else:
            y = R.negative(a)
        z = R.add(y, x)
        return z
""", {"x": ((3, 4), "float32"), "flag": ((), "bool")}, {}),
    "loop": ("""
    @R.function
    def loop(i: R.Tensor((), "int32"), acc: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        c = R.less(i, R.const(4, "int32"))
        if c:
            j = R.add(i, R.const(1, "int32"))
            more = R.add(acc, R.astype(j, "float32"))
            r: R.Tensor((n,), "float32") = Module.loop(j, more)
        else:
            r = acc
        return r

    @R.function
    def main(start: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
        n = T.int64()
        y: R.Tensor((n,), "float32") = Module.loop(R.const(0, "int32"), start)
        return y
""", {"start": ((3,), "float32")}, {}),
    "dynamic": ("""
    @T.prim_func(s_tir=True)
    def ramp(x: T.handle, y: T.handle, step: T.int64):
        n = T.int64()
        A = T.match_buffer(x, (n,), "float32")
        B = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] + T.Cast("float32", v * step)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("m", "n"), "float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        f = R.reshape(x, (n * m,))
        y = R.builtin.alloc_tensor(R.shape([n * m]), R.dtype("float32"), R.prim_value(0))
        u = R.vm.call_tir_dyn(cls.ramp, (f, y, R.shape([m])))
        z = R.reshape(y, (m, n))
        return z
""", {"x": ((3, 5), "float32")}, {}),
    "scalars": ("""
    @T.prim_func(s_tir=True)
    def scale(x: T.handle, step: T.int64, y: T.handle):
        n = T.int64()
        A = T.match_buffer(x, (n,), "float32")
        B = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            with T.sblock("b"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] * T.Cast("float32", v + step)

    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")) -> R.Tensor(("m", "n"), "float32"):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            f = R.reshape(x, (n * m,))
            y = R.call_tir(cls.scale, (f, R.prim_value(m)), R.Tensor((n * m,), "float32"))
            z = R.reshape(y, (m, n))
            R.output(z)
        return z
""", {"x": ((3, 5), "float32")}, {}),
    "shapes": ("""
    @R.function
    def main(x: R.Tensor(("n", 4), "float16"), s: R.Shape(["m", 2]), k: R.Prim("int64")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.full(R.shape([n, m]), R.const(3, "int64"), "int64")
            b = R.sum(R.multiply(x, x), axis=1)
            y = (R.shape([n * 2, m]), a, b, k)
            R.output(y)
        return y
""", {"x": ((2, 4), "float16")}, {"m": 3, "k": 5}),
}

RELAX_LIBRARIES = [  # library, entry, inputs, numbers
    (SAMPLES / "sample-cpu.so", "main", {"x": ((1, 3, 8, 8), "float32")}, {}),
    (CORPUS / "tvm-0.26-relax-c-bytecode.so", "main", {"x": ((1, 3, 8, 8), "float32")}, {}),
    # 0.25 does not fill a slot that this machine code calls, and crashes.
    (CORPUS / "tvm-0.27-relax-llvm-many-compiled.so", "branch", {"c": ((), "bool"), "x": ((4,), "float32")}, {}),
    (CORPUS / "tvm-0.27-relax-llvm-many-compiled.so", "caller", {"x": ((2, 3), "float32")}, {}),
    (CORPUS / "tvm-0.27-relax-llvm-many-compiled.so", "first", {"x": ((2, 5), "float32")}, {}),
    (CORPUS / "tvm-0.27-relax-llvm-many-compiled.so", "shapes", {"x": ((6, 4), "float16")}, {}),
]


class Relax:
    def __init__(self, tvm):
        self.tvm = tvm

    def export(self, text, mode, path):
        from tvm.script import ir, relax, tirx

        generator = numpy.random.default_rng(7)

        def weight(*shape):
            return self.tvm.relax.const((generator.standard_normal(shape) * 0.3).astype("float32"))

        source = f"@I.ir_module\nclass Module:{text}"
        module = self.tvm.script.from_source(source, extra_vars={"I": ir, "R": relax, "T": tirx, "w": weight})
        self.tvm.relax.build(module, target="llvm", exec_mode=mode).export_library(str(path))

    def values(self, value, name):
        """Tensors, shapes and numbers of a result."""
        if value is None:
            return []
        if isinstance(value, bool):
            return [(name, numpy.array(value))]
        if isinstance(value, int):
            return [(name, numpy.array(value, "int64"))]
        if isinstance(value, float):
            return [(name, numpy.array(value, "float64"))]
        if hasattr(value, "numpy"):
            return [(name, numpy.array(value.numpy()))]
        kind = type(value).__name__
        if kind in ("Shape", "ShapeTuple"):
            return [(name, numpy.array(list(value), "int64"))]
        if kind in ("Array", "list", "tuple"):
            return [one for i, item in enumerate(value) for one in self.values(item, f"{name}.{i}")]
        raise TypeError(f"{name} is a {kind}")

    def run(self, library, case):
        machine = self.tvm.relax.VirtualMachine(self.tvm.runtime.load_module(str(library)), self.tvm.cpu())
        arguments = [self.tvm.runtime.tensor(value) for value in case.inputs.values()]
        if case.arguments:
            arguments = case.arguments(self.tvm, arguments)
        plain = self.values(machine[case.entry](*arguments), "output")
        nodes = []

        def instrument(function, name, before, result, *values):
            del function
            # Builtins of the machine allocate, check and copy; what they do is seen in the kernels' values. A kernel
            # returns nothing and writes to its last arguments. Kernels for extents write to the heap of the machine.
            if before or result is not None or name.startswith("shape_func"):
                return
            if name == "vm.builtin.call_tir_dyn":
                name = Node.NAMELESS  # the first argument is the function
            if name.startswith("vm.builtin."):
                return
            tensors = [numpy.array(value.numpy()) for value in values if hasattr(value, "numpy")]
            if tensors:
                nodes.append(Node(name, name, tensors))

        if case.tap:
            machine.set_instrument(instrument)
            again = self.values(machine[case.entry](*arguments), "output")
            equal([value.tobytes() for _, value in again], [value.tobytes() for _, value in plain], "outputs with the instrument")
        return Values(plain, nodes)


def same_nodes(cli, folder, name, case):
    tapped = replace(case, tap=True)
    runs = []
    for mode in ("bytecode", "compiled"):
        with tempfile.TemporaryDirectory() as temporary:
            runs.append(run_model(cli, folder / f"relax-{name}-{mode}.so", tapped, Path(temporary)))
    bytecode, compiled = runs
    equal([(node.function, [value.tobytes() for value in node.outputs]) for node in compiled.nodes],
          [(node.function, [value.tobytes() for value in node.outputs]) for node in bytecode.nodes], "nodes")
    equal(len(compiled.nodes) > 0, True, "there are nodes")


def weights_check(report, cli, package, folder):
    """Weights in a folder that TVM writes, in the order of the tuple that the model takes."""
    try:
        from tvm.contrib.tvmjs import dump_tensor_cache
    except ImportError:
        report.skip("weights of a folder", "this TVM writes no tensor-cache.json")
        return
    library, cache = folder / "relax-packed.so", folder / "weights"
    weights = [random((8, 3), seed=5), random((3,), "float16", 6), random((3,), seed=7)]
    for k in (0, 2):  # what f32-to-bf16 keeps
        weights[k] = (weights[k].view("uint32") & 0xFFFF0000).view("float32")
    x = random((2, 8), seed=4)

    def body():
        package.export("""
    @R.function
    def main(x: R.Tensor((2, 8), "float32"), packed_params: R.Tuple(R.Tensor((8, 3), "float32"), R.Tensor((3,), "float16"), R.Tensor((3,), "float32"))):
        with R.dataflow():
            a = R.matmul(x, packed_params[0])
            y = R.add(R.add(a, R.astype(packed_params[1], "float32")), packed_params[2])
            R.output(y)
        return y
""", "bytecode", library)
        names = [2, 0, 1]  # the order of the file is not that of the tuple
        dump_tensor_cache({f"param_{k}": weights[k] for k in names}, str(cache),
                          encode_format="f32-to-bf16", show_progress=False)
        expected = x @ weights[0] + weights[1].astype("float32") + weights[2]
        with tempfile.TemporaryDirectory() as temporary:
            case = Case("weights", {"x": x}, tap=False)
            case.files = ["--params", cache]
            (_, found), = run_model(cli, library, case, Path(temporary)).outputs
        largest = difference(found, expected, "the sum")
        print(f"  weights of a folder: largest difference to NumPy {largest:.3g}")

    if cli:
        report.check("weights of a folder", body)


def relax_checks(report, cli, tvm, folder):
    package = Relax(tvm)
    for name, (text, inputs, numbers) in RELAX_MODELS.items():
        for mode in ("bytecode", "compiled"):
            library = folder / f"relax-{name}-{mode}.so"
            if report.check(f"{name}, {mode}: TVM exports it", lambda: package.export(text, mode, library) or True) is None:
                continue
            arrays = {key: random(*value, seed) for seed, (key, value) in enumerate(inputs.items(), 1)}
            # Machine code calls the functions itself; only bytecode has an instrument.
            case = Case(f"{name}, {mode}", arrays, numbers=numbers, tap=mode == "bytecode")
            if name == "shapes":
                case.arguments = lambda tvm, tensors: [*tensors, tvm.runtime.ShapeTuple([numbers["m"], 2]), numbers["k"]]
            cases = [case]
            if name == "branch":
                cases = [Case(f"{case.name}, {flag}", {**arrays, "flag": numpy.array(flag)}, tap=case.tap, variant=f".{flag}")
                         for flag in (True, False)]
            elif name == "symbolic":
                cases += [Case(f"{case.name}, n = {n}", {"x": random((n, 8), seed=n)}, tap=case.tap, variant=f".{n}") for n in (1, 33)]
            for one in cases:
                check_model(report, cli, library, one, lambda: package.run(library, one))
                # TVM's instrument sees no calls of machine code; they are those of the bytecode.
                if mode == "compiled" and cli:
                    report.check(f"{one.name}: the nodes are those of the bytecode", lambda: same_nodes(cli, folder, name, one))
    weights_check(report, cli, package, folder)
    for library, entry, inputs, numbers in RELAX_LIBRARIES:
        if not library.is_file():
            report.skip(f"{library.name}, {entry}", "corpus absent")
            continue
        if "0.27-relax-llvm" in library.name and tvm.__version__.startswith("0.25"):
            report.skip(f"{library.name}, {entry}", "machine code from 0.27 crashes in TVM 0.25")
            continue
        arrays = {key: random(*value, seed) for seed, (key, value) in enumerate(inputs.items(), 1)}
        case = Case(f"{library.name}, {entry}", arrays, entry, numbers, tap="compiled" not in library.name)
        check_model(report, cli, library, case, lambda: package.run(library, case))
    # Neither apache-tvm nor Blobscope has the example's runtime.
    report.skip("tvm-0.27-relax-const-loader.so", "no published package can load modules of kind 'example_npu_json'")


# --- Relay ------------------------------------------------------------------------------------------------------------

RELAY_LIBRARIES = [  # library, executor, version of the package if only one reads it, inputs; none: those of the executor
    ("retinaface_sim.so", "graph", None, None),
    ("retinaface_sim_opt.so", "graph", None, None),
    ("tvm-0.17-relay-vm.so", "vm", "0.17.dev0", {"x": ((1, 8), "float32")}),
    ("tvm-0.17-relay-aot.so", "aot", None, None),
    ("tvm-0.11-relay-vm-dynamic.so", "vm", "1.6.0", {"x": ((3, 8), "float32")}),  # the fork inside mera-tvm-full
]


class Relay:
    def __init__(self, tvm):
        self.tvm = tvm

    # --- models ---

    def models(self):
        """name: (function that makes the module, inputs, executors)."""
        relay, tvm = self.tvm.relay, self.tvm
        generator = numpy.random.default_rng(11)

        def weight(*shape):
            return relay.const((generator.standard_normal(shape) * 0.3).astype("float32"))

        def module(parameters, body):
            return tvm.IRModule.from_expr(relay.Function(parameters, body))

        def mlp():
            x = relay.var("x", shape=(2, 8), dtype="float32")
            y = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, weight(16, 8)), weight(16)))
            return module([x], relay.nn.softmax(relay.nn.dense(y, weight(5, 16))))

        def conv():
            x = relay.var("data", shape=(1, 3, 16, 16), dtype="float32")
            y = relay.nn.relu(relay.nn.conv2d(x, weight(8, 3, 3, 3), padding=(1, 1), channels=8, kernel_size=(3, 3)))
            y = relay.nn.max_pool2d(y, pool_size=(2, 2), strides=(2, 2))
            y = relay.nn.conv2d(y, weight(8, 1, 3, 3), padding=(1, 1), groups=8, channels=8, kernel_size=(3, 3))
            y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(y))
            return module([x], relay.nn.dense(y, weight(4, 8)))

        def tuples():
            a, b = relay.var("a", shape=(4, 6), dtype="float32"), relay.var("b", shape=(4, 6), dtype="int32")
            s = relay.split(a, 2, axis=1)
            last = relay.add(s[1], relay.cast(relay.strided_slice(b, [0, 0], [4, 3]), "float32"))
            return module([a, b], relay.Tuple([relay.exp(s[0]), relay.sum(b, axis=1), last]))

        def dynamic():
            x = relay.var("x", shape=(relay.Any(), 8), dtype="float32")
            y = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, weight(4, 8)), weight(4)))
            return module([x], relay.reshape(relay.exp(y), (-1, 2, 2)))

        def branch():
            x, flag = relay.var("x", shape=(3, 4), dtype="float32"), relay.var("flag", shape=(), dtype="bool")
            return module([x, flag], relay.add(relay.If(flag, relay.tanh(x), relay.negative(x)), relay.const(numpy.float32(1))))

        def loop():
            out, loop = tvm.IRModule(), relay.GlobalVar("loop")
            i, acc = relay.var("i", shape=(), dtype="int32"), relay.var("acc", shape=(3,), dtype="float32")
            more = relay.Call(loop, [relay.add(i, relay.const(numpy.int32(1))), relay.add(acc, relay.cast(i, "float32"))])
            body = relay.If(relay.less(i, relay.const(numpy.int32(4))), more, acc)
            out[loop] = relay.Function([i, acc], body, relay.TensorType((3,), "float32"))
            start = relay.var("start", shape=(3,), dtype="float32")
            out["main"] = relay.Function([start], relay.Call(loop, [relay.const(numpy.int32(0)), start]))
            return out

        def argwhere():  # the shape of the result depends on the values
            x = relay.var("x", shape=(relay.Any(), 4), dtype="int32")
            return module([x], relay.argwhere(x))

        every = ("graph", "aot", "vm")
        return {
            "mlp": (mlp, {"x": ((2, 8), "float32")}, every),
            "conv": (conv, {"data": ((1, 3, 16, 16), "float32")}, every),
            "tuples": (tuples, {"a": ((4, 6), "float32"), "b": ((4, 6), "int32")}, every),
            "dynamic": (dynamic, {"x": ((5, 8), "float32")}, ("vm",)),
            "branch": (branch, {"x": ((3, 4), "float32"), "flag": ((), "bool")}, ("vm",)),
            "loop": (loop, {"start": ((3,), "float32")}, ("vm",)),
            "argwhere": (argwhere, {"x": ((3, 4), "int32")}, ("vm",)),
        }

    def export(self, make, executor, path):
        relay = self.tvm.relay
        with self.tvm.transform.PassContext(opt_level=3):
            if executor == "vm":
                relay.vm.compile(make(), target="llvm").mod.export_library(str(path))
                return
            backend = relay.backend.Executor("aot", {"interface-api": "packed", "unpacked-api": False} if executor == "aot" else {})
            if executor == "graph":
                backend = relay.backend.Executor("graph")
            runtime = relay.backend.Runtime("cpp")
            relay.build(make(), target="llvm", executor=backend, runtime=runtime).export_library(str(path))

    # --- executors ---

    def executors(self):
        loaders = {"graph": "GraphExecutorFactory", "aot": "AotExecutorFactory", "vm": "VMExecutable"}
        found = {key: self.tvm.get_global_func(f"runtime.module.loadbinary_{name}", True) for key, name in loaders.items()}
        return [key for key, function in found.items() if function]

    def open(self, executor, library):
        """What runs the library, and the inputs that it names: name to an array of their shape and type."""
        module, cpu = self.tvm.runtime.load_module(str(library)), self.tvm.cpu()
        if executor == "vm":
            return self.tvm.runtime.vm.VirtualMachine(self.tvm.runtime.vm.Executable(module), cpu), None
        if executor == "aot":
            from tvm.runtime.executor import AotModule

            opened = AotModule(module["default"](cpu))
            names = [opened.get_input_name(i) for i in range(opened.get_num_inputs())]
        else:
            from tvm.contrib.graph_executor import GraphModule

            opened = GraphModule(module["default"](cpu))
            # Parameters of the library are inputs of the graph that already have values.
            names = [name for name in opened.get_input_info()[0] if not re.fullmatch(r"p\d+", name)]
        return opened, {name: opened.get_input(name) for name in names}

    def inputs_of(self, executor, library):
        named = self.open(executor, library)[1]
        return {name: random(value.shape, value.dtype, seed) for seed, (name, value) in enumerate(named.items(), 1)}

    def run(self, executor, library, case):
        opened, _ = self.open(executor, library)
        if executor == "vm":
            result = opened.invoke("main", *[self.tvm.nd.array(value) for value in case.inputs.values()])
            return Values([(f"output {i}", value) for i, value in enumerate(self.flat(result))])
        for name, value in case.inputs.items():
            opened.set_input(name, value)
        opened.run()
        outputs = [(f"output {i}", opened.get_output(i).numpy()) for i in range(opened.get_num_outputs())]
        return Values(outputs, self.nodes(library, case) if executor == "graph" else [])

    def flat(self, value):
        if isinstance(value, self.tvm.nd.NDArray):
            return [value.numpy()]
        return [one for item in value for one in self.flat(item)]

    def nodes(self, library, case):
        module = self.tvm.runtime.load_module(str(library))
        graph = json.loads(module["get_graph_json"]())
        debug = module["debug_create"]("default", self.tvm.cpu())
        for name, value in case.inputs.items():
            debug["set_input"](name, self.tvm.nd.array(value))
        found = []
        for index, node in enumerate(graph["nodes"]):
            if node["op"] == "null":
                continue
            debug["execute_node"](index)
            # Nodes share memory, so read the outputs at once. A no-op node is a change of shape.
            outputs = [debug["get_node_output"](index, k).numpy() for k in range(int(node["attrs"]["num_outputs"]))]
            if node["attrs"]["func_name"] != "__nop":
                found.append(Node(node["name"], node["attrs"]["func_name"], outputs))
        return found


def relay_checks(report, cli, tvm, folder):
    package = Relay(tvm)
    for name, (_, inputs, executors) in package.models().items():
        arrays = {key: random(*value, seed) for seed, (key, value) in enumerate(inputs.items(), 1)}
        for executor in executors:
            if executor not in package.executors():
                report.skip(f"{name}, {executor}", f"this TVM has no executor '{executor}'")
                continue
            library, make = folder / f"{executor}-{name}.so", package.models()[name][0]  # the same weights for each executor
            if report.check(f"{name}, {executor}: TVM exports it", lambda: package.export(make, executor, library) or True) is None:
                continue
            cases = [Case(f"{name}, {executor}", arrays, tap=executor == "graph")]
            if name == "branch":
                cases = [Case(f"{name}, {executor}, {flag}", {**arrays, "flag": numpy.array(flag)}, tap=False, variant=f".{flag}")
                         for flag in (True, False)]
            for case in cases:
                check_model(report, cli, library, case, lambda: package.run(executor, library, case), by_name=False)
    for name, executor, version, inputs in RELAY_LIBRARIES:
        library = CORPUS / name
        if not library.is_file():
            report.skip(name, "corpus absent")
            continue
        if version and tvm.__version__ != version:
            report.skip(name, f"files of Relay's virtual machine need the TVM that wrote them, {version}")
            continue
        if executor not in package.executors():
            report.skip(name, f"this TVM has no executor '{executor}'")
            continue
        if inputs:
            arrays = {key: random(*value, seed) for seed, (key, value) in enumerate(inputs.items(), 1)}
        else:
            arrays = report.check(f"{name}: inputs", lambda: package.inputs_of(executor, library))
        if not arrays:
            continue
        case = Case(name, arrays, tap=executor == "graph")
        cases = [case]
        if "dynamic" in name:  # the branch depends on the values
            cases.append(Case(f"{name}, larger", {"x": arrays["x"] * numpy.float32(100)}, tap=False, variant=".larger"))
            cases.append(Case(f"{name}, n = 1", {"x": random((1, 8), seed=3) * numpy.float32(0.1)}, tap=False, variant=".1"))
        for one in cases:
            check_model(report, cli, library, one, lambda: package.run(executor, library, one), by_name=False)


def main():
    global numpy
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    cli = None if sys.argv[1] == "-" else Cli(str(Path(sys.argv[1]).resolve()))
    report = Report("test_models")
    if cli and not offers_models(cli):
        report.skip("all", "this blobscope-cli has no run --model")
        return report.finish()
    os.environ.setdefault("TOPHUB_LOCATION", "NONE")  # old packages download schedules otherwise
    try:
        import numpy
        import tvm
    except ModuleNotFoundError as problem:
        if problem.name and problem.name.split(".")[0] in ("tvm", "tvm_ffi", "numpy"):
            report.skip("all", f"the package {problem.name.split('.')[0]} is not installed")
            return report.finish()
        raise
    with tempfile.TemporaryDirectory() as temporary:
        if importlib.util.find_spec("tvm.relay"):
            import tvm.relay
            import tvm.runtime.vm

            report.skip("Relax libraries", f"their format is newer than TVM {tvm.__version__}")
            relay_checks(report, cli, tvm, Path(temporary))
        else:
            import tvm.relax
            import tvm.script

            report.skip("graph, AOT and Relay libraries", f"TVM {tvm.__version__} has no Relay")
            relax_checks(report, cli, tvm, Path(temporary))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
