"""Executes kernels of the libraries of mlx-metal on the AIR engine and compares the results with NumPy.

Usage: kernels.py RUNNER [--only PATTERN] LIBRARY...

RUNNER is the example `run_kernels` of airfoil-cpu. Integers and booleans must be equal. Floats must be within 2 units in the last place of the
value that NumPy computes with 64 bits and rounds once; kernels of several roundings with the same steps in 32 bits (`softmax`). Sums and
products have operands whose results are exact in every order. Exit status 1 if a kernel differs or cannot be executed.
"""

import fnmatch
import subprocess
import sys

import numpy as np

TYPES = {
    name: np.dtype(name)
    for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32".split()
} | {"bool_": np.dtype(bool)}
INTEGERS = [t for t in TYPES if "int" in t]
FLOATS = ["float16", "float32"]
NUMBERS = INTEGERS + FLOATS


class Case:
    """A kernel with its launch, its buffers by the names of arguments, and the expected contents of some."""

    def __init__(self, kernel, template, threads, buffers, expected, groups=(1, 1, 1), **options):
        self.kernel, self.template = kernel, template
        self.threads, self.groups = (list(size) + [1, 1] for size in (threads, groups))
        self.buffers = {name: np.ascontiguousarray(value) for name, value in buffers.items()}
        self.expected = expected
        self.options = options

    def request(self):
        triple = lambda size: ",".join(str(n) for n in size[:3])
        words = [f"kernel={self.kernel}", f"groups={triple(self.groups)}", f"threads={triple(self.threads)}"]
        words += [f"buffer={name}:{value.nbytes}" for name, value in self.buffers.items()]
        words += [f"threadgroup={name}:{size}" for name, size in self.options.get("threadgroup", {}).items()]
        words += [f"constant={index}:{bits}" for index, bits in self.options.get("constants", {}).items()]
        return " ".join(words).encode() + b"\n" + b"".join(value.tobytes() for value in self.buffers.values())


CASES = []


def case(*arguments, **options):
    CASES.append(Case(*arguments, **options))


def random(seed):
    return np.random.default_rng(seed)


def values(name, count, seed=1):
    """Numbers of all magnitudes that a type has."""
    r, dtype = random(seed), TYPES[name]
    if dtype.kind == "f":
        limit = 3 if name == "float16" else 30
        return (r.standard_normal(count) * np.exp2(r.integers(-limit, limit, count))).astype(dtype)
    if dtype.kind == "b":
        return r.integers(0, 2, count).astype(bool)
    info = np.iinfo(dtype)
    return r.integers(info.min, info.max, count, dtype=dtype, endpoint=True)


def small(name, count, low=-4, high=5, seed=1):
    """Small numbers: eighths for floats, whose sums are exact."""
    r, dtype = random(seed), TYPES[name]
    if dtype.kind == "u" or dtype.kind == "b":
        low = max(low, 0)
    numbers = r.integers(low * 8, high * 8, count) / 8 if dtype.kind == "f" else r.integers(low, high, count)
    return numbers.astype(dtype)


def floats(name, count, low, high, seed=1):
    return random(seed).uniform(low, high, count).astype(TYPES[name])


def empty(name, count):
    return np.zeros(count, TYPES[name])


def u32(*numbers):
    return np.array(numbers, np.uint32)


def i32(*numbers):
    return np.array(numbers, np.int32)


def i64(*numbers):
    return np.array(numbers, np.int64)


def wide(function, *operands):
    """Computes with 64 bits and rounds once."""
    with np.errstate(all="ignore"):
        result = function(*[operand.astype(np.float64) for operand in operands])
        return result.astype(operands[0].dtype)


N = 96

# Units in the last place that floats may differ by.
ULPS = 2


def unary():
    double = lambda f: lambda x: wide(f, x)
    erf = np.vectorize(__import__("math").erf)
    rows = {
        "Abs": (np.abs, NUMBERS, None),
        "Ceil": (np.ceil, FLOATS, None),
        "Floor": (np.floor, FLOATS, None),
        "Negative": (np.negative, NUMBERS, None),
        "Sign": (np.sign, NUMBERS, None),
        "Square": (np.square, NUMBERS, None),
        "Round": (np.rint, FLOATS, None),
        "Sqrt": (double(np.sqrt), FLOATS, (0, 900)),
        "Rsqrt": (double(lambda x: 1 / np.sqrt(x)), FLOATS, (0.01, 900)),
        "Exp": (double(np.exp), FLOATS, (-8, 8)),
        "Log": (double(np.log), FLOATS, (0.01, 900)),
        "Log2": (double(np.log2), FLOATS, (0.01, 900)),
        "Log10": (double(np.log10), FLOATS, (0.01, 900)),
        "Sin": (double(np.sin), FLOATS, (-9, 9)),
        "Cos": (double(np.cos), FLOATS, (-9, 9)),
        "Tan": (double(np.tan), FLOATS, (-1.5, 1.5)),
        "Sinh": (double(np.sinh), FLOATS, (-5, 5)),
        "Cosh": (double(np.cosh), FLOATS, (-5, 5)),
        "Tanh": (double(np.tanh), FLOATS, (-5, 5)),
        "ArcSin": (double(np.arcsin), FLOATS, (-1, 1)),
        "ArcCos": (double(np.arccos), FLOATS, (-1, 1)),
        "ArcTan": (double(np.arctan), FLOATS, (-9, 9)),
        "ArcSinh": (double(np.arcsinh), FLOATS, (-9, 9)),
        "ArcCosh": (double(np.arccosh), FLOATS, (1, 9)),
        "ArcTanh": (double(np.arctanh), FLOATS, (-0.9, 0.9)),
        "BitwiseInvert": (np.invert, INTEGERS, None),
    }
    for operator, (function, types, interval) in rows.items():
        for t in types:
            x = values(t, N) if interval is None else floats(t, N, *interval)
            with np.errstate(all="ignore"):
                y = function(x).astype(TYPES[t])
            case(f"v_{operator}{t}{t}", "unary_v", [N], {"in": x, "out": empty(t, N), "size": u32(N)}, {"out": y})
    x = values("bool_", N)
    case("v_LogicalNotbool_bool_", "unary_v", [N], {"in": x, "out": empty("bool_", N), "size": u32(N)}, {"out": ~x})


def binary_rows():
    divide = lambda a, b: wide(np.divide, a, b) if a.dtype.kind == "f" else a // b
    return {
        "Add": (np.add, NUMBERS),
        "Subtract": (np.subtract, NUMBERS),
        "Multiply": (np.multiply, NUMBERS),
        "Divide": (divide, FLOATS + ["uint32", "uint64"]),
        "Maximum": (np.maximum, NUMBERS),
        "Minimum": (np.minimum, NUMBERS),
        "Equal": (np.equal, NUMBERS),
        "NotEqual": (np.not_equal, NUMBERS),
        "Less": (np.less, NUMBERS),
        "LessEqual": (np.less_equal, NUMBERS),
        "Greater": (np.greater, NUMBERS),
        "GreaterEqual": (np.greater_equal, NUMBERS),
        "BitwiseAnd": (np.bitwise_and, INTEGERS),
        "BitwiseOr": (np.bitwise_or, INTEGERS),
        "BitwiseXor": (np.bitwise_xor, INTEGERS),
    }


def operands(operator, t):
    make = small if operator in ("Equal", "NotEqual", "LessEqual", "GreaterEqual") else values
    a, b = make(t, N, seed=1), make(t, N, seed=2)
    if operator == "Divide":
        b[b == 0] = 1
    return a, b


def binary():
    for operator, (function, types) in binary_rows().items():
        for t in types:
            a, b = operands(operator, t)
            shapes = {"vv": (a, b), "vs": (a, b[:1]), "sv": (a[:1], b), "ss": (a[:1], b[:1])}
            # All shapes for a few types.
            chosen = shapes if t in ("int32", "float32", "uint8") else ["vv"]
            for shape in chosen:
                x, y = shapes[shape]
                with np.errstate(all="ignore"):
                    result = function(x, y)
                n = len(result)
                buffers = {"a": x, "b": y, "c": np.zeros(n, result.dtype)}
                if shape != "ss":
                    buffers["size"] = u32(n)
                case(f"{shape}_{operator}{t}", f"binary_{shape}", [n], buffers, {"c": result})


def copy():
    for source in NUMBERS:
        for target in NUMBERS:
            x = small(source, N, seed=3)
            if TYPES[source].kind != "u" and TYPES[target].kind == "u":
                x = np.abs(x)
            y = np.trunc(x).astype(TYPES[target]) if TYPES[source].kind == "f" and TYPES[target].kind != "f" else x.astype(TYPES[target])
            buffers = {"src": x, "dst": np.zeros(N, y.dtype), "size": u32(N)}
            case(f"v_copy{source}{target}", "copy_v", [N], buffers, {"dst": y})


def arange():
    for t in NUMBERS:
        start, step = (0.5, 0.25) if t in FLOATS else (3, 2)
        y = (start + step * np.arange(32)).astype(TYPES[t])
        scalar = lambda x: np.array([x], TYPES[t])
        case(f"arange{t}", "arange", [32], {"start": scalar(start), "step": scalar(step), "out": empty(t, 32)}, {"out": y})


def select():
    for t in NUMBERS:
        a, b, c = values("bool_", N), values(t, N, 1), values(t, N, 2)
        buffers = {"a": a, "b": b, "c": c, "d": empty(t, N), "size": u32(N)}
        case(f"v_Select{t}", "ternary_v", [N], buffers, {"d": np.where(a, b, c)})


def two_dimensional():
    """Kernels with positions of two dimensions: 64-bit counts of elements, strides."""
    for t in ("int32", "float32", "uint8", "float16"):
        x, y = values(t, N, 1), values(t, N, 2)
        size = i64(N)
        with np.errstate(all="ignore"):
            case(f"v2_Abs{t}{t}", "unary_v2", [24], {"in": x, "out": empty(t, N), "size": size}, {"out": np.abs(x)}, [1, 4])
            case(f"vv2_Add{t}", "binary_vv2", [24], {"a": x, "b": y, "c": empty(t, N), "size": size}, {"c": x + y}, [1, 4])
            case(f"sv2_Multiply{t}", "binary_sv2", [24], {"a": x[:1], "b": y, "c": empty(t, N), "size": size}, {"c": x[:1] * y}, [1, 4])
            case(f"vs2_Subtract{t}", "binary_vs2", [24], {"a": x, "b": y[:1], "c": empty(t, N), "size": size}, {"c": x - y[:1]}, [1, 4])
            case(f"v2_copy{t}{t}", "copy_v2", [24], {"src": x, "dst": empty(t, N), "size": size}, {"dst": x}, [1, 4])
            case(f"s2_copy{t}{t}", "copy_s2", [24], {"src": x[:1], "dst": empty(t, N), "size": size}, {"dst": np.full(N, x[0])}, [1, 4])
            case(f"s_copy{t}{t}", "copy_s", [N], {"src": x[:1], "dst": empty(t, N), "size": u32(N)}, {"dst": np.full(N, x[0])})
            # Every second element, and rows in reverse order.
            case(f"g1_copy{t}{t}", "copy_g1", [N // 2], {"src": x, "dst": empty(t, N // 2), "src_stride": i64(2)}, {"dst": x[::2]})
            strides = i64(1, 8)
            transposed = x.reshape(12, 8).T
            case(f"g2_copy{t}{t}", "copy_g2", [12], {"src": x, "dst": empty(t, N), "src_strides": strides}, {"dst": transposed}, [1, 8])
            case(f"g1_Add{t}", "binary_g1", [N // 2], {"a": x, "b": y, "c": empty(t, N // 2), "a_stride": i64(2), "b_stride": i64(1)}, {"c": x[::2] + y[: N // 2]})
            buffers = {"a": x, "b": y, "c": empty(t, N), "a_strides": i64(1, 8), "b_strides": i64(12, 1)}
            case(f"g2_Add{t}", "binary_g2", [12], buffers, {"c": transposed + y.reshape(8, 12)}, [1, 8])
            buffers = {"a": x, "b": y, "c": empty(t, N), "a_strides": i64(24, 6, 1), "b_strides": i64(1, 4, 16)}
            result = x.reshape(4, 4, 6) + y.reshape(6, 4, 4).transpose(2, 1, 0)
            case(f"g3_Add{t}", "binary_g3", [6], buffers, {"c": result}, [1, 4, 4])
            buffers = {"a": x, "b": y, "c": empty(t, N), "shape": i32(2, 2, 4, 6), "a_strides": i64(48, 24, 6, 1), "b_strides": i64(0, 24, 6, 1), "ndim": i32(4)}
            result = x.reshape(2, 2, 4, 6) + y.reshape(2, 2, 4, 6)[:1]
            case(f"gn2_Add{t}", "binary_gn2", [3], buffers, {"c": result}, [1, 4, 4])
            buffers = {"src": x, "dst": empty(t, N), "src_shape": i32(2, 2, 4, 6), "src_strides": i64(6, 48, 12, 1), "ndim": i32(4)}
            result = x.reshape(2, 4, 2, 6).transpose(2, 0, 1, 3)
            case(f"gn2_copy{t}{t}", "copy_gn2", [3], buffers, {"dst": result}, [1, 4, 4])
            buffers = {"in": x, "out": empty(t, N), "in_shape": i32(4, 4, 6), "in_strides": i64(6, 24, 1), "ndim": i32(3)}
            case(f"gn1_Square{t}{t}", "unary_gn1", [6], buffers, {"out": np.square(x.reshape(4, 4, 6).transpose(1, 0, 2))}, [1, 4, 4])
            a = values("bool_", N)
            buffers = {"a": a, "b": x, "c": y, "d": empty(t, N // 2), "a_strides": i64(2), "b_strides": i64(1), "c_strides": i64(2)}
            case(f"g1_Select{t}", "ternary_g1", [N // 2], buffers, {"d": np.where(a[::2], x[: N // 2], y[::2])})


REDUCTIONS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def terms(operator, t, count, seed=5):
    """Operands whose sums and products are exact in every order."""
    if operator == "prod":
        r = random(seed)
        signs = np.where(r.integers(0, 2, count) == 0, -1, 1) if TYPES[t].kind != "u" else np.ones(count)
        return (signs * np.where(r.integers(0, 16, count) == 0, 2, 1)).astype(TYPES[t])
    return small(t, count, seed=seed) if operator == "sum" else values(t, count, seed)


def reduce():
    for operator, function in REDUCTIONS.items():
        for t in ("int32", "uint32", "int64", "float32", "float16", "int8", "uint16"):
            # Sums and products of narrow integers are wider: other kernels.
            if operator in ("sum", "prod") and t in ("int8", "uint16"):
                continue
            result_type = TYPES[t]
            rows, columns = 5, 77
            x = terms(operator, t, rows * columns)
            total = function(x.reshape(rows, columns), axis=1).astype(result_type)
            u64 = lambda n: np.array([n], np.uint64)
            buffers = {"in": x, "out": np.zeros(rows, result_type), "in_size": u64(x.size), "row_size": u64(columns)}
            case(f"all_reduce_{operator}{t}", "all_reduce", [64], buffers, {"out": total}, [1, rows])
            buffers = {"in": x, "out": np.zeros(rows, result_type), "reduction_size": u64(columns), "out_size": i64(rows)}
            case(f"row_reduce_simple_{operator}{t}", "row_reduce_simple", [32], buffers, {"out": total}, [1, (rows + 3) // 4])
            buffers = {
                "in": x, "out": np.zeros(rows, result_type), "row_size": i64(columns), "non_row_reductions": i64(1), "shape": i32(rows),
                "strides": i64(columns), "ndim": i32(1), "reduce_shape": i32(1), "reduce_strides": i64(0), "reduce_ndim": i32(0),
            }
            case(f"row_reduce_looped_1_reduce_{operator}{t}", "row_reduce_looped", [64], dict(buffers), {"out": total}, [1, rows])
            case(f"row_reduce_small_1_reduce_{operator}{t}", "row_reduce_small", [1], dict(buffers), {"out": total}, [1, rows])
            rows, columns = 11, 8
            x = terms(operator, t, rows * columns)
            total = function(x.reshape(rows, columns), axis=0).astype(result_type)
            buffers = {
                "in": x, "out": np.zeros(columns, result_type), "reduction_size": u64(rows), "reduction_stride": i64(columns), "shape": i32(1),
                "strides": i64(0), "ndim": i32(0), "reduce_shape": i32(rows), "reduce_strides": i64(columns), "reduce_ndim": i32(1),
                "non_col_reductions": u64(1),
            }
            case(f"col_reduce_small_1_reduce_{operator}{t}", "col_reduce_small", [columns, 1], buffers, {"out": total})
    identity = {"sum": 0, "prod": 1}
    for operator, value in identity.items():
        for t in ("int32", "int64", "float32", "float16"):
            buffers = {"out": values(t, 24)}
            case(f"init_reduce_{operator}{t}", "init_reduce", [6], buffers, {"out": np.full(24, value, TYPES[t])}, [1, 4])


def positions():
    for operator, function in (("argmax", np.argmax), ("argmin", np.argmin)):
        for t in NUMBERS:
            rows, columns = 3, 75
            x = small(t, rows * columns, seed=7)
            u64 = lambda n: np.array([n], np.uint64)
            buffers = {
                "in": x, "out": np.zeros(rows, np.uint32), "shape": i32(rows), "in_strides": i64(columns), "out_strides": i64(1),
                "ndim": u64(1), "axis_stride": i64(1), "axis_size": u64(columns),
            }
            expected = function(x.reshape(rows, columns), axis=1).astype(np.uint32)
            case(f"{operator}_{t}", "arg_reduce", [32], buffers, {"out": expected}, [1, rows])


def scan():
    functions = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
    for operator, function in functions.items():
        for t in ("int32", "uint32", "float32", "int64"):
            rows, columns = 3, 150
            x = terms(operator, t, rows * columns, seed=9).reshape(rows, columns)
            u64 = lambda n: np.array([n], np.uint64)
            for reverse in (False, True):
                turned = x[:, ::-1] if reverse else x
                with np.errstate(all="ignore"):
                    total = function.accumulate(turned, axis=1).astype(TYPES[t])
                total = total[:, ::-1] if reverse else total
                way = "reverse_" if reverse else ""
                buffers = {"in": x, "out": np.zeros(x.shape, TYPES[t]), "axis_size": u64(columns)}
                name = f"contig_scan_{way}inclusive_{operator}_{t}_{t}"
                case(name, f"contiguous_scan_{way}inclusive", [64], buffers, {"out": total}, [1, rows])
            if operator in ("sum", "prod"):
                exclusive = np.full(x.shape, 0 if operator == "sum" else 1, TYPES[t])
                exclusive[:, 1:] = function.accumulate(x, axis=1)[:, :-1]
                buffers = {"in": x, "out": np.zeros(x.shape, TYPES[t]), "axis_size": u64(columns)}
                case(f"contig_scan_exclusive_{operator}_{t}_{t}", "contiguous_scan_exclusive", [64], buffers, {"out": exclusive}, [1, rows])


def sort():
    for t in NUMBERS:
        rows, columns = 3, 100
        x = values(t, rows * columns, 11).reshape(rows, columns)
        strides = {"in_stride_sorted_axis": i32(1), "out_stride_sorted_axis": i32(1), "in_stride_segment_axis": i32(columns), "out_stride_segment_axis": i32(columns)}
        buffers = {"inp": x, "out": np.zeros(x.shape, TYPES[t]), "size_sorted_axis": i32(columns), **strides}
        case(f"c_block_sort_{t}_{t}_bn32_tn4", "block_sort", [32], buffers, {"out": np.sort(x, axis=1)}, [1, rows])
        distinct = np.array([random(n).permutation(100) for n in range(rows)]).astype(TYPES[t])
        buffers = {"inp": distinct, "out": np.zeros(x.shape, np.uint32), "size_sorted_axis": i32(columns), **strides}
        expected = np.argsort(distinct, axis=1, kind="stable").astype(np.uint32)
        case(f"carg_block_sort_{t}_uint32_bn32_tn4", "block_argsort", [32], buffers, {"out": expected}, [1, rows])
        sorted_x = np.sort(x[0])
        wanted = np.concatenate([x[0][:30], x[1][:30]])
        for side in ("left", "right"):
            buffers = {"a": sorted_x, "v": wanted, "out": np.zeros(60, np.uint32), "n": u32(columns), "a_stride": i64(1)}
            expected = np.searchsorted(sorted_x, wanted, side).astype(np.uint32)
            case(f"searchsorted_{t}_{side}", "searchsorted", [60], buffers, {"out": expected})


def softmax(x, looped):
    """The steps of the kernels, in 32 bits: each of 32 threads adds the exponentials of its four values, and the result is multiplied by the
    reciprocal of the sum. `looped` subtracts the maximum of each thread first, and scales. Metal leaves the order of `simd_sum` open; the
    engine adds in order of the lanes."""
    single = lambda values: np.asarray(values, np.float64).astype(np.float32)
    exp = lambda values: single(np.exp(values.astype(np.float64)))
    rows, columns = x.shape
    lanes = np.full((rows, 32, 4), -np.inf, np.float32)
    lanes.reshape(rows, 128)[:, :columns] = x.astype(np.float32)
    largest = lanes.max(axis=(1, 2), keepdims=True)
    least = np.finfo(np.float32).min
    own = np.maximum(lanes.max(axis=2, keepdims=True), least) if looped else largest
    total = np.zeros((rows, 32), np.float32)
    for n in range(4):
        total += exp(lanes[:, :, n] - own[..., 0])
    if looped:
        total *= exp(own[..., 0] - largest[..., 0])
    scale = np.float32(1) / np.add.accumulate(total, axis=1)[:, -1:]
    return (exp(x.astype(np.float32) - largest[..., 0]) * scale).astype(x.dtype)


def rows_of_floats():
    """Normalisations of rows; those of 16 bits are computed with 32."""
    rows, columns = 3, 120
    for t in FLOATS:
        x = small(t, rows * columns, seed=13).reshape(rows, columns)
        w, b = floats(t, columns, 0.5, 2, 14), floats(t, columns, -1, 1, 15)
        d = x.astype(np.float64)
        exponentials = np.exp(d - d.max(axis=1, keepdims=True))
        total = exponentials.sum(axis=1, keepdims=True)
        for kind, threads in (("block", 32), ("looped", 32)):
            if t == "float32" or kind == "block":
                buffers = {"in": x, "out": np.zeros(x.shape, TYPES[t]), "axis_size": i32(columns)}
                name = "softmax_precise" if t == "float16" else "softmax"
                case(f"{kind}_{name}_{t}", f"{kind}_softmax", [threads], buffers, {"out": softmax(x, kind == "looped")}, [rows])
            logsumexp = (d.max(axis=1) + np.log(total[:, 0])).astype(TYPES[t])
            buffers = {"in": x, "out": np.zeros(rows, TYPES[t]), "axis_size": i32(columns)}
            case(f"{kind}_logsumexp_{t}", f"{kind}_logsumexp", [threads], buffers, {"out": logsumexp}, [rows])
        eps = np.array([1e-5], np.float32)
        rms = (d / np.sqrt((d * d).mean(axis=1, keepdims=True) + np.float64(eps[0])) * w.astype(np.float64)).astype(TYPES[t])
        for kind in ("rms", "rms_looped"):
            buffers = {"x": x, "w": w, "out": np.zeros(x.shape, TYPES[t]), "eps": eps, "axis_size": u32(columns), "w_stride": u32(1)}
            case(f"{kind}{t}", kind, [32], buffers, {"out": rms}, [rows], constants={20: 1})


def matrices():
    for t in FLOATS:
        n = 1000
        a, b = small(t, n, -2, 3, 17), small(t, n, -2, 3, 18)
        buffers = {"a": a, "b": b, "output": np.zeros(1, np.float32), "n": i32(n)}
        total = np.array([np.dot(a.astype(np.float64), b.astype(np.float64))]).astype(np.float32)
        case(f"dot_product_{t}_it32_tg512_sg16", "dot_product", [512], buffers, {"output": total})
        rows, columns = 20, 64
        m, v = small(t, rows * columns, -2, 3, 19), small(t, columns, -2, 3, 20)
        buffers = {
            "mat": m, "in_vec": v, "bias": empty(t, rows), "out_vec": empty(t, rows), "in_vec_size": i32(columns), "out_vec_size": i32(rows),
            "marix_ld": i32(columns), "alpha": np.array([1], np.float32), "beta": np.array([0], np.float32), "batch_ndim": i32(1),
            "batch_shape": i32(1), "vector_batch_stride": i64(0), "matrix_batch_stride": i64(0), "bias_batch_stride": i64(0), "bias_stride": i32(1),
        }
        product = (m.reshape(rows, columns).astype(np.float64) @ v.astype(np.float64)).astype(TYPES[t])
        for tile, step in (("bm4_bn1_sm1_sn32_tm1_tn4", 4), ("bm4_bn1_sm1_sn32_tm4_tn4", 16)):
            groups = [(rows + step - 1) // step]
            case(f"gemv_{t}_{tile}_nc0_axpby0", "gemv", [32, 1, 4], dict(buffers), {"out_vec": product}, groups)
    for bits in (2, 4, 8):
        n, group = 256, 32
        q = random(21).integers(0, 1 << bits, n).astype(np.uint8)
        packed = np.zeros(n * bits // 8, np.uint8)
        per = 8 // bits
        for i in range(per):
            packed |= (q[i::per] << (bits * i)).astype(np.uint8)
        scales, biases = small("float32", n // group, 1, 4, 22), small("float32", n // group, -4, 4, 23)
        expected = (np.repeat(scales, group) * q + np.repeat(biases, group)).astype(np.float32)
        buffers = {"w": packed, "scales": scales, "biases": biases, "out": empty("float32", n)}
        case(f"affine_dequantize_float_gs_{group}_b_{bits}", "affine_dequantize", [packed.size // 4], buffers, {"out": expected}, [1, 4])


def bits():
    """The generator Threefry-2x32 with 20 rounds (Salmon et al., SC 2011)."""
    def threefry(key, counter):
        mask = 0xFFFFFFFF
        keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
        a, b = (counter[0] + keys[0]) & mask, (counter[1] + keys[1]) & mask
        for turn in range(5):
            for by in ((13, 15, 26, 6), (17, 29, 16, 24))[turn % 2]:
                a = (a + b) & mask
                b = ((b << by | b >> (32 - by)) & mask) ^ a
            a, b = (a + keys[(turn + 1) % 3]) & mask, (b + keys[(turn + 2) % 3] + turn + 1) & mask
        return a, b

    keys, half = [(0x12345678, 0x9ABCDEF0), (7, 11), (0xFFFFFFFF, 0)], 10
    words = []
    for key in keys:
        pairs = [threefry(key, (i, half + i)) for i in range(half)]
        words += [a for a, _ in pairs] + [b for _, b in pairs]
    buffers = {
        "keys": np.array(keys, np.uint32), "out": np.zeros(len(words), np.uint32), "odd": np.array([False]),
        "bytes_per_key": np.array([8 * half], np.uint64),
    }
    case("rbitsc", "random_bits", [len(keys)], buffers, {"out": np.array(words, np.uint32)}, [1, half])


def ulp_distance(a, b):
    """Units in the last place between floats; NaNs are equal."""
    integer = {2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]
    def ordered(x):
        bits = x.view(integer).astype(object)
        low = np.iinfo(integer).min
        return np.where(bits < 0, low - bits, bits)
    distance = np.abs(ordered(a) - ordered(b))
    return np.where(np.isnan(a) & np.isnan(b), 0, distance)


def judge(one, buffers):
    """The largest distance in units in the last place, or a message."""
    worst = 0
    for name, want in one.expected.items():
        have = buffers[name].view(want.dtype)[: want.size].reshape(want.shape)
        if want.dtype.kind == "f":
            distance = ulp_distance(have, want)
            worst = max(worst, int(distance.max()))
            at = int(np.argmax(distance.ravel().astype(np.float64)))
            wrong = worst > ULPS
        else:
            at = int(np.argmax(have.ravel() != want.ravel()))
            wrong = bool((have != want).any())
        if wrong:
            return worst, f"`{name}` [{at}]: expected {want.ravel()[at]!r}, found {have.ravel()[at]!r} ({worst} ULP)"
    return worst, None


def run(runner, library, cases):
    """Executes cases; returns whether all agree."""
    process = subprocess.Popen([runner, library], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    passed, templates, failures, largest = set(), {}, [], 0
    for one in cases:
        process.stdin.write(one.request())
        process.stdin.flush()
        answer = process.stdout.readline().decode().rstrip("\n")
        if answer != "ok":
            failures.append(f"{one.kernel}: {answer or 'the runner ended'}")
            if not answer:
                break
            continue
        buffers = {}
        for name, value in one.buffers.items():
            buffers[name] = np.frombuffer(process.stdout.read(value.nbytes), np.uint8)
        worst, message = judge(one, buffers)
        if message:
            failures.append(f"{one.kernel}: {message}")
        else:
            passed.add(one.kernel)
            templates[one.template] = templates.get(one.template, 0) + 1
            largest = max(largest, worst)
    print(f"{library}: {len(passed)} of {len({one.kernel for one in cases})} kernels from {len(templates)} templates agree with NumPy within {largest} units in the last place")
    for line in failures:
        print(f"  {line}")
    return not failures, templates


def main():
    runner, *libraries = sys.argv[1:]
    pattern = "*"
    if libraries[0] == "--only":
        _, pattern, *libraries = libraries
    builders = (unary, binary, copy, arange, select, two_dimensional, reduce, positions, scan, sort, rows_of_floats, matrices, bits)
    for build in builders:
        build()
    chosen = [one for one in CASES if fnmatch.fnmatch(one.kernel, pattern)]
    results = [run(runner, library, chosen) for library in libraries]
    print(", ".join(f"{name} {count}" for name, count in sorted(results[-1][1].items())))
    return 0 if all(agrees for agrees, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
