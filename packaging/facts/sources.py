"""Reads registrations of global functions from C++ sources of TVM: names, and how many arguments each accepts."""
import re
from pathlib import Path

# Folders of the sources and the build flag of the functions that they register. The first row that matches counts.
# Names in small letters are groups of functions.json. None: not part of a runtime.
FOLDERS = [
    (r"web/emcc/", "WASM"),
    (r"(?:ffi|3rdparty/tvm-ffi)/src/ffi/testing/", None),
    (r"(?:ffi|3rdparty/tvm-ffi)/src/", "tvm-ffi"),
    (r"src/backend/(cuda|rocm|metal|opencl|vulkan|hexagon)/runtime/", "USE_{}"),
    (r"src/(?:backend|target|codegen|relay|relax|tir|tirx|te|driver|node|ir)/", "compiler"),
    (r"src/runtime/(?:extra/)?disco/(?:nccl|cuda_ipc)/", "USE_NCCL"),
    (r"src/runtime/(?:extra/)?disco/", "disco"),
    (r"src/runtime/(?:relax_vm|vm)/(cuda|hexagon)/", "USE_{}"),
    (r"src/runtime/vm/profiler/", "USE_PROFILER"),
    (r"src/runtime/graph\w*/debug/", "USE_PROFILER"),
    (r"src/runtime/graph\w*/cuda_graph/", "USE_GRAPH_EXECUTOR_CUDA_GRAPH"),
    (r"src/runtime/graph", "USE_GRAPH_EXECUTOR"),
    (r"src/runtime/aot_executor/", "USE_AOT_EXECUTOR"),
    (r"src/runtime/pipeline/", "USE_PIPELINE_EXECUTOR"),
    (r"src/runtime/micro/", "USE_MICRO"),
    (r"src/runtime/stackvm/", "USE_STACKVM_RUNTIME"),
    (r"src/runtime/rpc/", "USE_RPC"),
    (r"src/runtime/opencl/(aocl|sdaccel)/", "USE_{}"),
    (r"src/runtime/(cuda|opencl|metal|rocm|vulkan|hexagon|sgx|opengl)/", "USE_{}"),
    (r"src/runtime/(?:extra/)?contrib/cblas/mkl", "USE_MKL"),
    (r"src/runtime/(?:extra/)?contrib/cblas/dnnl", "USE_DNNL"),
    (r"src/runtime/(?:extra/)?contrib/cblas/", "USE_BLAS"),
    (r"src/runtime/contrib/onnx/", "USE_TARGET_ONNX"),
    (r"src/runtime/(?:extra/)?contrib/(tensorrt|nnapi|example_npu)/", "USE_{}_RUNTIME"),
    (r"src/runtime/(?:extra/)?contrib/(clml|arm_compute_lib)/", "USE_{}_GRAPH_EXECUTOR"),
    (r"src/runtime/contrib/example_ext_runtime/", "USE_EXAMPLE_EXT_RUNTIME"),
    (r"src/runtime/(?:extra/)?contrib/(\w+)/", "USE_{}"),
    (r"src/runtime/(?:vm|relax_vm|memory|minrpc)/", "always"),
    (r"src/runtime/[^/]*$", "always"),
]
SUFFIXES = {".cc", ".cpp", ".cu", ".mm", ".h", ".cuh"}
# Of the compiler only loaders matter.
LOADER = re.compile(r"^(?:runtime\.module|module)\.load|^ffi\.Module\.load_")
# Names that a constant or a macro of the source stands for.
CONSTANTS = {"tvm::runtime::symbol::tvm_set_device": '"__tvm_set_device"', "TVM_DISCO_CCL_NAME": '"nccl"'}
TEXT = r'"(?:\\.|[^"\\])*"'


def flag_of(path):
    """The build flag for the functions of a source, by its path below the root of the repository."""
    for pattern, flag in FOLDERS:
        match = re.match(pattern, path)
        if match:
            return flag and flag.format(match[1].upper() if match.groups() else "")
    return None


def without_comments(text):
    return re.sub(TEXT + r"|'(?:\\.|[^'\\\n])'|//[^\n]*|/\*.*?\*/",
                  lambda found: found[0] if found[0][0] in "\"'" else " ", text, flags=re.DOTALL)


def closing(text, start):
    """The position after the bracket that closes the one at `start`. Texts and characters are skipped."""
    depth = 0
    for found in re.finditer(TEXT + r"|'(?:\\.|[^'\\\n])'|[(\[{]|[)\]}]", text[start:], re.DOTALL):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth == 0:
                return start + found.end()
    return len(text)


def parts(text):
    """The text, split at the commas outside brackets. Angle brackets count where they look like those of templates."""
    out, depth, begin = [], 0, 0
    for found in re.finditer(TEXT + r"|'(?:\\.|[^'\\\n])'|->|<<|>=|<=|[(\[{<]|[)\]}>]|,", text, re.DOTALL):
        mark = found[0]
        if mark in ("(", "[", "{") or mark == "<" and text[found.start() - 1:found.start()].isalnum():
            depth += 1
        elif mark in (")", "]", "}") or mark == ">" and depth:
            depth -= 1
        elif mark == "," and depth == 0:
            out.append(text[begin:found.start()])
            begin = found.end()
    out.append(text[begin:])
    return [part.strip() for part in out if part.strip()]


class Registration:
    """One registered function: its name, the call that registers it ("def", "set_body_typed") and what it gets."""

    def __init__(self, name, call, arguments, text, path):
        self.name, self.call, self.arguments, self.text, self.path = name, call, arguments, text, path
        self.flag = flag_of(path)


def registrations(text, path):
    """All registrations in a source. A name that is no literal is skipped."""
    text = without_comments(text)
    for constant, literal in CONSTANTS.items():
        text = text.replace(constant, literal)
    out = []

    def name_of(argument):
        return "".join(part[1:-1] for part in re.findall(TEXT, argument)) if re.fullmatch(
            rf"\s*(?:{TEXT}\s*)+", argument) else None

    # TVM_REGISTER_GLOBAL("name").set_body_typed(...)
    for found in re.finditer(r"\b(?:TVM_REGISTER_GLOBAL|TVM_REGISTER_API|TVM_FFI_REGISTER_GLOBAL)\s*\(", text):
        if "#define" in text[text.rfind("\n", 0, found.start()) + 1:found.start()]:
            continue
        end = closing(text, found.end() - 1)
        name = name_of(text[found.end():end - 1])
        call = re.compile(r"\s*\.\s*(set_body\w*)\s*(?:<[^()]*>)?\s*\(").match(text, end)
        if name:
            arguments = parts(text[call.end():closing(text, call.end() - 1) - 1]) if call else []
            out.append(Registration(name, call[1] if call else "", arguments, text, path))
    # GlobalDef().def("name", ...).def_packed("name", ...)
    step = re.compile(r"\s*\.\s*(\w+)\s*(?:<[^()]*>)?\s*\(")
    for found in re.finditer(r"\bGlobalDef\(\)", text):
        at = found.end()
        while call := step.match(text, at):
            at = closing(text, call.end() - 1)
            arguments = parts(text[call.end():at - 1])
            name = name_of(arguments[0]) if arguments else None
            if call[1].startswith("def") and name:
                out.append(Registration(name, call[1], arguments[1:], text, path))
    return out + macro_registrations(text, path)


def macro_registrations(text, path):
    """Registrations by a macro that makes the name from its parameter: #define X(name) ….def("a." #name, …)."""
    out = []
    for macro in re.finditer(r"#define\s+(\w+)\(([^)]*)\)((?:[^\n]*\\\n)*[^\n]*)", text):
        made = re.search(rf"(?:REGISTER_GLOBAL\(|\.(def\w*)\()\s*((?:{TEXT}|#?\w+|\s|\\)+)[,)]", macro[3])
        if not made or not re.search(r"REGISTER_GLOBAL|GlobalDef", macro[3]):
            continue
        parameters = [part.strip() for part in macro[2].split(",")]
        for use in re.finditer(rf"(?m)^\s*{macro[1]}\(([^;{{}}]*?)\)", text[macro.end():]):
            values = dict(zip(parameters, (part.strip().strip('"') for part in use[1].split(","))))
            words = [word[1:-1] if word[0] == '"' else values.get(word.lstrip("#"))
                     for word in re.findall(rf"{TEXT}|#?\w+", made[2])]
            if all(word is not None for word in words):
                out.append(Registration("".join(words), made[1] or "", [], text, path))
    return out


def read_tree(root):
    """All registrations below a folder: a checkout of TVM, or the folder `tvm` of an installed package."""
    out = []
    for folder in ("src", "web/emcc", "ffi/src", "3rdparty/tvm-ffi/src"):
        for path in sorted((Path(root) / folder).rglob("*")):
            relative = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or not flag_of(relative):
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            if re.search(r"REGISTER_GLOBAL|TVM_REGISTER_API|GlobalDef", text):
                out += registrations(text, relative)
    return [one for one in out if one.flag != "compiler" or LOADER.search(one.name)]


# --- numbers of arguments ---


def header_sources(root):
    """The texts of all sources, for functions that are defined in another file than they are registered in."""
    for folder in ("src", "include/tvm", "web/emcc"):
        for path in sorted((Path(root) / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield without_comments(path.read_text(encoding="utf-8", errors="replace"))


def lambda_parts(text):
    """(parameters, body) of a lambda; None for other text."""
    if not text.startswith("["):
        return None
    at = closing(text, 0)
    head = re.compile(r"\s*\(").match(text, at)
    if not head:
        return [], text[at:]
    end = closing(text, head.end() - 1)
    return parts(text[head.end():end - 1]), text[end:]


def find_definition(name, texts):
    """(parameters, body) of the function or method with that name, from its definition or declaration."""
    if "::" in name:
        owner, method = name.rsplit("::", 2)[-2:]
        for text in texts:  # in the class itself
            for found in re.finditer(rf"\b(?:class|struct)\s+{re.escape(owner)}\b[^;{{(]*\{{", text):
                inside = definition_in(method, text[found.end():closing(text, found.end() - 1)])
                if inside:
                    return inside
        if owner[0].isupper():  # a class that is not in the tree
            return None
    declared = None
    for text in texts:
        found = definition_in(name.rsplit("::", 1)[-1], text)
        if found and found[1]:
            return found
        declared = declared or found
    return declared


def definition_in(name, text):
    """The same in one text; `name` is without class. A declaration has an empty body."""
    declared = None
    for found in re.finditer(rf"(?<![.\w>]){re.escape(name)}\s*\(", text):
        end = closing(text, found.end() - 1)
        before = text[max(0, found.start() - 200):found.start()]
        # A definition or declaration has a type before the name; a call does not.
        typed = re.search(r"(?:[\w>&*]\s+|[&*])(?:\w+::)*$", before)
        if not typed or re.search(r"\b(?:return|else|throw|new|case)\s+$", before):
            continue
        after = re.compile(r"\s*(?:const|noexcept|override|final|\s)*(\{|;|=)").match(text, end)
        if not after:
            continue
        parameters = parts(text[found.end():end - 1])
        if after[1] == "{":
            brace = text.index("{", end)
            return parameters, text[brace:closing(text, brace)]
        declared = declared or (parameters, "")
    return declared


class Counts:
    """What a function accepts: as a record of arguments.json, without releases."""

    def __init__(self, by, minimum=None, maximum=None, check=None):
        self.by, self.minimum, self.maximum, self.check = by, minimum, maximum, check


def packed_counts(body):
    """The counts that a function with a list of arguments accepts: what it compares, else what it reads always."""
    size = r"args\.(?:size\(\)|num_args)"
    condition = re.search(rf"\b(?:TVM_FFI_)?I?CHECK\(\s*((?:{size}\s*==\s*\d+\s*(?:\|\|)?\s*)+)\s*([,)])", body)
    if condition:
        numbers = [int(number) for number in re.findall(r"==\s*(\d+)", condition[1])]
        said = said_after(body, condition.start())
        check = f"({' '.join(condition[1].split())}) is false: {said}"
        return Counts("check", min(numbers), max(numbers), check)
    compared = re.search(rf"\b(?:TVM_FFI_)?I?CHECK_(EQ|GE)\(\s*({size})\s*,\s*(\d+)[Uu]?\s*\)", body)
    if compared:
        number = int(compared[3])
        sign = "==" if compared[1] == "EQ" else ">="
        check = f"{compared[2]} {sign} {number} ({{passed}} vs. {number}) : {said_after(body, compared.start())}"
        return Counts("check", number, number if compared[1] == "EQ" else None, check)
    refused = re.search(rf"\bif\s*\(\s*{size}\s*!=\s*(\d+)\s*\)\s*\{{?\s*(?:TVM_FFI_THROW|LOG\(FATAL\))", body)
    if refused:
        return Counts("check", int(refused[1]), int(refused[1]))
    # Reads in a branch do not count.
    depth, always = 0, -1
    for found in re.finditer(TEXT + r"|[{}]|\bargs\s*\[\s*(\d+)\s*\]", body):
        if found[0] == "{":
            depth += 1
        elif found[0] == "}":
            depth -= 1
        elif found[1] and depth <= 1:
            line = body[body.rfind("\n", 0, found.start()):found.start()]
            if not re.search(r"\?|\bif\b|&&", line):
                always = max(always, int(found[1]))
    return Counts("read", always + 1)


def said_after(body, at):
    """The text that a check writes with <<, with {passed} for the number of arguments."""
    end = closing(body, body.index("(", at))
    statement = body[end:body.find(";", end)]
    out = ""
    for found in re.finditer(rf"<<\s*((?:{TEXT}\s*)+|[^<]+)", statement, re.DOTALL):
        if found[1].startswith('"'):
            out += "".join(part[1:-1] for part in re.findall(TEXT, found[1]))
        else:
            out += "{passed}" if re.match(r"\s*args\.(?:size\(\)|num_args)", found[1]) else "\u2026"
    return out


def counts_of(registration, texts):
    """The counts of one registration; None when the sources do not show them. `texts`: of header_sources()."""
    if not registration.arguments:
        return None
    given = registration.arguments[0]
    packed = "packed" in registration.call or registration.call == "set_body"
    method = "method" in registration.call
    parts_found = lambda_parts(given)
    if not parts_found:
        name = re.fullmatch(r"&?\s*((?:\w+::)*\w+)", given)
        if not name:
            return None
        parts_found = find_definition(name[1], [registration.text]) or find_definition(name[1], texts)
    if not parts_found:
        return None
    parameters, body = parts_found
    takes_list = any(re.search(r"\b(?:TVMArgs|PackedArgs)\b", one) for one in parameters)
    if packed or takes_list:
        return packed_counts(body) if body else None
    # A method also gets its object; a lambda has it among its parameters.
    count = len(parameters) + (1 if method and not given.startswith("[") else 0)
    if parameters == ["void"]:
        count -= 1
    return Counts("signature", count, count)
