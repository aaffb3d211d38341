#!/usr/bin/env python3
"""How the cost of a compile grows with the shader: machine instructions by callgrind, per family of generated shaders.

  growth.py AIRFOIL [--limit 1.15] [--only FAMILY[,FAMILY...]] [--source glsl|spirv] [--small] [--per-pass]
  growth.py --write FAMILY N FILE      writes one shader, as GLSL (.comp) or SPIR-V (.spv)

AIRFOIL is the command, optimised, without LLVM. Each family is compiled at -O2 in two sizes; the cost of an empty shader is
taken off. The exponent is that of the larger size over the smaller one; exit status 1 if one is above the limit. Large
sizes have about 100,000 instructions as read or 300 levels, with `--small` a tenth. Peak memory is that of the larger size,
per instruction as read. Families are written both as GLSL and as SPIR-V, except for those with types that only GLSL needs.
"""
import argparse
import concurrent.futures
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading

# ---- programs: statements over integers, a buffer `v` and a local array `a` of 64 ----
# Expressions: int, str (a local), ('buf', e), ('elem', e), (op, e, e), ('call', n, e).
# Statements: ('set', name, e), ('setbuf', e, e), ('setelem', e, e), ('if', e, e, then, else) for e > e,
#   ('for', name, e, body), ('switch', e, [case], falls), ('break',), ('continue',), ('return',).


def program(body, functions=(), array=False):
    return {"body": body, "functions": list(functions), "array": array}


def buf(n):
    return ("buf", n)


def nested(n, wrap, inner):
    for i in reversed(range(n)):
        inner = wrap(i, inner)
    return inner


S = ("set", "s", 0)
END = ("setbuf", 0, "s")


def add(e, op="+"):
    return ("set", "s", (op, "s", e))


def case_of(i):
    return [add(("*", buf(i + 1), i + 3))]


def chain_expression(n):
    e = buf(1)
    for i in range(n):
        e = ("+" if i % 2 else "^", ("*", e, i % 7 + 2), i)
    return e


FAMILIES = {
    # name: (small, large, program of a size)
    "straight": (3000, 30000, lambda n: program([S] + [add(("*", buf(i % 64), i)) for i in range(n)] + [END])),
    "many_ifs": (1000, 6000, lambda n: program([S] + [("if", buf(i), i, [add(buf(i + 1))], [add(i, "^")]) for i in range(n)] + [END])),
    "flat_ifs": (1000, 6000, lambda n: program([S] + [("if", buf(i % 16), i, [("setbuf", i, "s")], []) for i in range(n)] + [END])),
    "nested_ifs": (100, 300, lambda n: program([S] + nested(n, lambda i, x: [("if", buf(i), i, [add(i)] + x, [])], []) + [END])),
    "elseif": (100, 300, lambda n: program([S] + nested(n, lambda i, x: [("if", buf(i), i, [add(i)], x)], []) + [END])),
    "switchy": (1000, 6000, lambda n: program([S, ("switch", buf(0), [case_of(i) for i in range(n)], False), END])),
    "switchfall": (1000, 6000, lambda n: program([S, ("switch", buf(0), [case_of(i) for i in range(n)], True), END])),
    "nested_loops": (100, 300, lambda n: program([S] + nested(n, lambda i, x: [("for", f"i{i}", buf(i), [add(i)] + x)], []) + [END])),
    "seq_loops": (500, 3000, lambda n: program([S] + [("for", f"i{i}", buf(i), [add(("*", f"i{i}", buf(i + 1)))]) for i in range(n)] + [END])),
    "funcs": (500, 3000, lambda n: program([S] + [add(("call", i, buf(i))) for i in range(n)] + [END], [("+", ("*", "x", 3), i) for i in range(n)])),
    "funcchain": (300, 2000, lambda n: program([("setbuf", 0, ("call", n - 1, buf(1)))], [("+", ("*", "x", 3), 1)] + [("^", ("call", i - 1, ("+", "x", i)), "x") for i in range(1, n)])),
    "calls": (1000, 6000, lambda n: program([S] + [add(("call", 0, buf(i))) for i in range(n)] + [END], [("^", ("+", ("*", "x", 3), buf(0)), 5)])),
    "locarr_const": (1000, 8000, lambda n: program([("setelem", i % 64, buf(i)) for i in range(n)] + [S] + [add(("elem", i)) for i in range(64)] + [END], array=True)),
    "locarr_dyn": (1000, 8000, lambda n: program([("setelem", ("&", buf(i), 63), buf(i + 1)) for i in range(n)] + [S, ("for", "k", 64, [add(("elem", "k"))]), END], array=True)),
    "ssbo_store": (1000, 10000, lambda n: program([("setbuf", i, i * 3) for i in range(n)])),
    "ssbo_loadstore": (1000, 10000, lambda n: program([("setbuf", i + 1, ("+", buf(i), 1)) for i in range(n)])),
    "deepexpr": (1000, 9000, lambda n: program([("setbuf", 0, chain_expression(n))])),
    "continues": (100, 1000, lambda n: program([S, ("for", "k", buf(0), [("if", ("+", buf(i), "k"), i, [add(i), ("continue",)], []) for i in range(n)] + [add("k")]), END])),
    "breaks": (500, 3000, lambda n: program([S, ("for", "k", buf(0), [("if", ("+", buf(i), "k"), i, [add(i), ("break",)], []) for i in range(n)] + [add("k")]), END])),
    "returns": (500, 3000, lambda n: program([("if", buf(i), i, [("setbuf", 0, i), ("return",)], []) for i in range(n)])),
    "manyvars": (1000, 8000, lambda n: program([("set", f"x{i}", buf(i)) for i in range(n)] + [("setbuf", i, ("+", f"x{i}", f"x{n - 1 - i}")) for i in range(n)])),
    "vars_ifs": (300, 2000, lambda n: program([("set", f"x{i}", buf(i)) for i in range(n)] + [("if", buf(i), i, [("set", f"x{i}", ("+", f"x{(i * 7) % n}", 1))], []) for i in range(n)] + [("setbuf", i, f"x{i}") for i in range(n)])),
}

HEAD = "#version 450\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer B { int v[]; } b;\n"
GLSL_FAMILIES = {
    "constarr": (1000, 8000, lambda n: HEAD + "const int t[%d] = int[%d](%s);\nvoid main() {\n  b.v[0] = t[b.v[1] %% %d] + t[b.v[2] %% %d];\n}\n" % (n, n, ", ".join(str(i * 7 % 100) for i in range(n)), n, n)),
    "structs": (100, 1000, lambda n: HEAD + "struct T { " + " ".join("int m%d;" % i for i in range(n)) + " };\nvoid main() {\n  T x;\n" + "".join("  x.m%d = b.v[%d];\n" % (i, i) for i in range(n)) + "  T y = x;\n  T z = y;\n" + "".join("  b.v[%d] = z.m%d;\n" % (i, n - 1 - i) for i in range(n)) + "}\n"),
    "mats": (100, 1000, lambda n: HEAD + "layout(std430, binding = 1) buffer M { mat4 m[]; } c;\nvoid main() {\n  mat4 x = c.m[0];\n" + "".join("  x = x * c.m[%d];\n" % (i % 32) for i in range(n)) + "  c.m[0] = x;\n}\n"),
}


# ---- GLSL ----
def glsl_expression(e):
    """Text of an expression, without recursion along left operands."""
    if isinstance(e, int):
        return str(e)
    if isinstance(e, str):
        return e
    if e[0] == "buf":
        return f"b.v[{glsl_expression(e[1])}]"
    if e[0] == "elem":
        return f"a[{glsl_expression(e[1])}]"
    if e[0] == "call":
        return f"f{e[1]}({glsl_expression(e[2])})"
    rest, left = [], e
    while isinstance(left, tuple) and left[0] in "+^*&":
        rest.append((left[0], glsl_expression(left[2])))
        left = left[1]
    return "(" * len(rest) + glsl_expression(left) + "".join(f" {op} {r})" for op, r in reversed(rest))


def glsl(p):
    out = [HEAD]
    for i, e in enumerate(p["functions"]):
        out.append(f"int f{i}(int x) {{ return {glsl_expression(e)}; }}\n")
    out.append("void main() {\n")
    if p["array"]:
        out.append("int a[64];\n")
    declared = set()

    def name(n):
        return n if n in declared else declared.add(n) or f"int {n}"

    def statements(list_, declare):
        for s in list_:
            kind = s[0]
            if kind == "set":
                out.append(f"{name(s[1]) if declare else s[1]} = {glsl_expression(s[2])};\n")
            elif kind == "setbuf":
                out.append(f"b.v[{glsl_expression(s[1])}] = {glsl_expression(s[2])};\n")
            elif kind == "setelem":
                out.append(f"a[{glsl_expression(s[1])}] = {glsl_expression(s[2])};\n")
            elif kind == "if":
                out.append(f"if ({glsl_expression(s[1])} > {glsl_expression(s[2])}) {{\n")
                statements(s[3], False)
                out.append("}\n")
                if len(s[4]) == 1 and s[4][0][0] == "if":
                    out.append("else ")
                    statements(s[4], False)
                elif s[4]:
                    out.append("else {\n")
                    statements(s[4], False)
                    out.append("}\n")
            elif kind == "for":
                out.append(f"for (int {s[1]} = 0; {s[1]} < {glsl_expression(s[2])}; {s[1]}++) {{\n")
                statements(s[3], False)
                out.append("}\n")
            elif kind == "switch":
                out.append(f"switch ({glsl_expression(s[1])}) {{\n")
                for i, case in enumerate(s[2]):
                    out.append(f"case {i}:\n")
                    statements(case, False)
                    if not s[3]:
                        out.append("break;\n")
                out.append("}\n")
            else:
                out.append(f"{kind};\n")

    statements(p["body"], True)
    out.append("}\n")
    return "".join(out)


# ---- SPIR-V ----
class Module:
    """A compute shader, assembled front to back; the instructions of a function come last."""

    def __init__(self):
        self.bound = 1
        self.types, self.names = [], {}
        self.code, self.vars = [], []
        self.constants = {}
        self.void, self.int, self.bool, self.uint = (self.id() for _ in range(4))
        t = self.types
        self.word(t, 19, self.void)
        self.word(t, 21, self.int, 32, 1)
        self.word(t, 20, self.bool)
        self.word(t, 21, self.uint, 32, 0)
        self.fn_void, self.fn_int = self.id(), self.id()
        self.word(t, 33, self.fn_void, self.void)
        self.word(t, 33, self.fn_int, self.int, self.int)
        self.runtime, self.block, self.p_block, self.p_elem, self.buffer = (self.id() for _ in range(5))
        self.word(t, 29, self.runtime, self.int)
        self.word(t, 30, self.block, self.runtime)
        self.word(t, 32, self.p_block, 12, self.block)
        self.word(t, 32, self.p_elem, 12, self.int)
        self.word(t, 59, self.p_block, self.buffer, 12)
        self.array, self.p_local, self.p_array = (self.id() for _ in range(3))
        self.word(t, 28, self.array, self.int, self.const(64))
        self.word(t, 32, self.p_local, 7, self.int)
        self.word(t, 32, self.p_array, 7, self.array)
        self.functions = []

    def id(self):
        self.bound += 1
        return self.bound - 1

    @staticmethod
    def word(to, op, *operands):
        to.append((len(operands) + 1) << 16 | op)
        to.extend(operands)

    def op(self, code, *operands):
        self.word(self.code, code, *operands)

    def result(self, code, ty, *operands):
        id_ = self.id()
        self.op(code, ty, id_, *operands)
        return id_

    def const(self, value):
        if value not in self.constants:
            self.constants[value] = self.id()
            self.word(self.types, 43, self.int, self.constants[value], value & 0xFFFFFFFF)
        return self.constants[value]

    def local(self, name, ty=None):
        if name not in self.names:
            self.names[name] = self.id()
            self.word(self.vars, 59, ty or self.p_local, self.names[name], 7)
        return self.names[name]

    def pointer(self, e):
        index = self.expression(e[1])
        if e[0] == "buf":
            return self.result(65, self.p_elem, self.buffer, self.const(0), index)
        return self.result(65, self.p_local, self.local("a", self.p_array), index)

    def expression(self, e):
        rest = []
        while isinstance(e, tuple) and e[0] in "+^*&":
            rest.append((e[0], e[2]))
            e = e[1]
        if isinstance(e, int):
            value = self.const(e)
        elif e == "x":
            value = self.parameter
        elif isinstance(e, str):
            value = self.result(61, self.int, self.local(e))
        elif e[0] == "call":
            value = self.expression(e[2])
            value = self.result(57, self.int, self.functions[e[1]], value)
        else:
            value = self.result(61, self.int, self.pointer(e))
        for op, right in reversed(rest):
            right = self.expression(right)
            value = self.result({"+": 128, "^": 198, "*": 132, "&": 199}[op], self.int, value, right)
        return value

    def statements(self, list_, exits):
        """True if control reaches the end."""
        for s in list_:
            kind = s[0]
            if kind == "set":
                self.op(62, self.local(s[1]), self.expression(s[2]))
            elif kind in ("setbuf", "setelem"):
                to = self.pointer((kind[3:], s[1]))
                self.op(62, to, self.expression(s[2]))
            elif kind == "if":
                cond = self.result(173, self.bool, self.expression(s[1]), self.expression(s[2]))
                then, els, merge = self.id(), self.id(), self.id()
                self.op(247, merge, 0)
                self.op(250, cond, then, els if s[4] else merge)
                for label, side in ((then, s[3]), (els, s[4])):
                    if side:
                        self.op(248, label)
                        if self.statements(side, exits):
                            self.op(249, merge)
                self.op(248, merge)
            elif kind == "for":
                header, test, body, cont, merge = (self.id() for _ in range(5))
                i = self.local(s[1])
                self.op(62, i, self.const(0))
                self.op(249, header)
                self.op(248, header)
                self.op(246, merge, cont, 0)
                self.op(249, test)
                self.op(248, test)
                cond = self.result(177, self.bool, self.expression(s[1]), self.expression(s[2]))
                self.op(250, cond, body, merge)
                self.op(248, body)
                if self.statements(s[3], (merge, cont)):
                    self.op(249, cont)
                self.op(248, cont)
                self.op(62, i, self.result(128, self.int, self.expression(s[1]), self.const(1)))
                self.op(249, header)
                self.op(248, merge)
            elif kind == "switch":
                selector, merge = self.expression(s[1]), self.id()
                labels = [self.id() for _ in s[2]] + [merge]
                self.op(247, merge, 0)
                self.op(251, selector, merge, *(w for i, l in enumerate(labels[:-1]) for w in (i, l)))
                for i, case in enumerate(s[2]):
                    self.op(248, labels[i])
                    if self.statements(case, (merge, exits[1])):
                        self.op(249, labels[i + 1] if s[3] else merge)
                self.op(248, merge)
            else:
                if kind == "return":
                    self.op(253)
                else:
                    self.op(249, exits[0] if kind == "break" else exits[1])
                return False
        return True

    def function(self, fn, out, ret, ty, write):
        self.code, self.vars, self.names = [], [], {}
        write()
        self.word(out, 54, ret, fn, 0, ty)
        if ty == self.fn_int:
            self.word(out, 55, self.int, self.parameter)
        self.word(out, 248, self.id())
        out += self.vars + self.code
        self.word(out, 56)


def spirv(p):
    m, out = Module(), []
    main = m.id()
    m.functions = [m.id() for _ in p["functions"]]

    def body():
        if m.statements(p["body"], (0, 0)):
            m.op(253)

    for fn, e in zip(m.functions, p["functions"]):
        m.parameter = m.id()
        m.function(fn, out, m.int, m.fn_int, lambda: m.op(254, m.expression(e)))
    m.function(main, out, m.void, m.fn_void, body)
    head = []
    m.word(head, 17, 1)
    m.word(head, 14, 0, 1)
    m.word(head, 15, 5, main, 0x6E69616D, 0)
    m.word(head, 16, main, 17, 1, 1, 1)
    m.word(head, 71, m.runtime, 6, 4)
    m.word(head, 71, m.block, 3)
    m.word(head, 72, m.block, 0, 35, 0)
    m.word(head, 71, m.buffer, 34, 0)
    m.word(head, 71, m.buffer, 33, 0)
    words = [0x07230203, 0x00010300, 0, m.bound, 0] + head + m.types + out
    return struct.pack(f"<{len(words)}I", *words)


def write(family, n, path):
    if path.endswith(".spv"):
        data = spirv(FAMILIES[family][2](n))
    elif family in GLSL_FAMILIES:
        data = GLSL_FAMILIES[family][2](n).encode()
    else:
        data = glsl(FAMILIES[family][2](n)).encode()
    with open(path, "wb") as out:
        out.write(data)


# ---- measuring ----
def instructions(airfoil, path, folder):
    """Machine instructions of a compile, and the output of the command."""
    profile = f"{folder}/{os.path.basename(path)}.callgrind"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", airfoil,
               "compile", path, "-O", "2", "-o", f"{path}.metallib", "-q"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if not line.startswith("==")]
        return None, "; ".join(lines)[:200]
    with open(profile) as text:
        return int(re.search(r"^(?:summary|totals): (\d+)", text.read(), re.M)[1]), profile


def memory_per_instruction(airfoil, path):
    """Peak memory in bytes per instruction as read."""
    count = subprocess.run([airfoil, "stats", path, "--pipeline", "lower_variable_initializers", "--stop-after", "0",
                            "--format", "csv", "--total", "-q"], capture_output=True, text=True)
    fields = count.stdout.strip().splitlines()[-1].split(",") if count.stdout else []
    run = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource,subprocess,sys\n"
                          "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
                          "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                          airfoil, "compile", path, "-O", "2", "-o", f"{path}.metallib", "-q"], capture_output=True, text=True)
    return (int(run.stdout) * 1024 / int(fields[2])) if len(fields) > 2 and int(fields[2]) else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("airfoil", nargs="?")
    parser.add_argument("--limit", type=float, default=1.15)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--source", choices=["glsl", "spirv"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", nargs=3, metavar=("FAMILY", "N", "FILE"))
    args = parser.parse_args()
    if args.write:
        family, n, path = args.write
        return write(family, int(n), path)
    cases = [(f, "comp") for f in FAMILIES] + [(f, "spv") for f in FAMILIES] + [(f, "comp") for f in GLSL_FAMILIES]
    if args.source:
        cases = [c for c in cases if c[1] == {"glsl": "comp", "spirv": "spv"}[args.source]]
    if args.only:
        cases = [c for c in cases if c[0] in args.only]
    folder = tempfile.mkdtemp()
    empty = {}
    for ending in ("comp", "spv"):
        FAMILIES["empty"] = (0, 0, lambda n: program([]))
        write("empty", 0, f"{folder}/empty.{ending}")
        empty[ending], reason = instructions(args.airfoil, f"{folder}/empty.{ending}", folder)
        if empty[ending] is None:
            sys.exit(f"{args.airfoil}: {reason}")

    def measure(case):
        family, ending = case
        small, large, _ = (FAMILIES if family in FAMILIES else GLSL_FAMILIES)[family]
        if ending == "comp" and (large <= 300 or family == "deepexpr"):
            # GLSL nests at most 256 levels.
            small, large = 40, 120
        if args.small:
            small, large = (small // 3, large // 3) if large <= 300 else (small // 10, large // 10)
        costs = []
        for n in (small, large):
            path = f"{folder}/{family}{n}.{ending}"
            write(family, n, path)
            cost, reason = instructions(args.airfoil, path, folder)
            if cost is None:
                return f"{family:14} {ending:4}  rejected at {n}: {reason}", False
            costs.append(max(cost - empty[ending], 1))
        exponent = math.log(costs[1] / costs[0]) / math.log(large / small)
        memory = memory_per_instruction(args.airfoil, path)
        text = f"{family:14} {ending:4}  {small:6} -> {large:6}  {costs[1] / 1e6:9.1f} M instructions  exponent {exponent:.2f}"
        if memory:
            text += f"  {memory:6.0f} bytes per instruction"
        return text, exponent <= args.limit

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        bad = 0
        for text, good in pool.map(measure, cases):
            print(text + ("" if good else "  ABOVE THE LIMIT"), flush=True)
            bad += not good
    print(f"{len(cases) - bad} of {len(cases)} families at most {args.limit}")
    return bad > 0


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    threading.stack_size(512 << 20)
    status = []
    thread = threading.Thread(target=lambda: status.append(main()))
    thread.start()
    thread.join()
    sys.exit(1 if not status or status[0] else 0)
