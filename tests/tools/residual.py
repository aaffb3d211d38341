#!/usr/bin/env python3
"""Reports the instructions that LLVM 14 removes from the AIR of the corpora.

  residual.py AIRFOIL CORPUS [-O LEVEL] [--target TARGET] [--worst N] [--explain FILE]

AIRFOIL is the command; CORPUS the folder of the sets core60 (in bench) and real-spv, of which the modules *.o0.spv are
taken. Compiles each module, runs `opt-14 -O2` without vectorisation and unrolling over the bitcode, and counts the
instructions by opcode before and after. Prints a table per set with one row per kind, the lanes of arithmetic, the median
over the files and the N files that lose most. --explain prints the two texts of the named file instead.
Exit status 1 if LLVM removes more than the limits in LIMITS.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile

SETS = {"core60": "bench/core60/*.spv", "real-spv": "real-spv/*.o0.spv"}
# Percent of all instructions, of the median file, and of lanes of arithmetic.
LIMITS = {"core60": (5.0, 100.0, 2.0), "real-spv": (8.0, 4.0, 2.0)}
OPT = ["opt-14", "-S", "-passes=default<O2>", "-mtriple=x86_64-unknown-linux-gnu", "--vectorize-slp=false",
       "--vectorize-loops=false", "--unroll-threshold=0", "--unroll-max-count=1"]

KINDS = {
    "address": ["getelementptr"],
    "bitcast": ["bitcast", "addrspacecast", "inttoptr", "ptrtoint"],
    "conversion": ["trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"],
    "lane": ["extractelement", "insertelement", "shufflevector", "extractvalue", "insertvalue"],
    "load": ["load"],
    "store": ["store"],
    "alloca": ["alloca"],
    "call": ["call"],
    "float": ["fneg", "fadd", "fsub", "fmul", "fdiv", "frem", "fcmp"],
    "integer": ["add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "icmp",
                "freeze"],
    "select": ["select"],
    "phi": ["phi"],
    "branch": ["br", "switch", "ret", "unreachable"],
    "atomic": ["atomicrmw", "cmpxchg"],
}
KIND = {op: kind for kind, ops in KINDS.items() for op in ops}
ARITHMETIC = {"conversion", "float", "integer", "select"}
INSTRUCTION = re.compile(r'  (?:%(?:"[^"]*"|\S+) = )?(?:(?:tail|musttail|notail) )?([a-z]+)(.*)')
VECTOR = re.compile(r"<(\d+) x ")
CALLEE = re.compile(r'call [^@]*@("[^"]*"|[\w.]+)\(')


def count(text):
    """Instructions by opcode, and the lanes of arithmetic, in a module's text."""
    ops, lanes, inside = collections.Counter(), 0, False
    pure = {m[1] for m in re.finditer(r"^attributes (#\d+) = \{[^}]*\breadnone\b", text, re.M)}
    functions = {m[1] for m in re.finditer(r'^declare .*?@("[^"]*"|[\w.]+)\(.*\).*?(#\d+)', text, re.M) if m[2] in pure}
    for line in text.split("\n"):
        if line.startswith("define"):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and (match := INSTRUCTION.match(line)):
            op, rest = match[1], match[2]
            ops[op] += 1
            callee = CALLEE.search(line) if op == "call" else None
            if KIND[op] in ARITHMETIC or callee and callee[1] in functions:
                vector = VECTOR.search(rest)
                lanes += int(vector[1]) if vector else 1
    return ops, lanes


def texts(path):
    """A module's text before and after LLVM, or None if LLVM fails."""
    before = subprocess.run(["llvm-dis-14", path, "-o", "-"], capture_output=True, text=True)
    after = subprocess.run(OPT + [path, "-o", "-"], capture_output=True, text=True)
    return None if before.returncode or after.returncode else (before.stdout, after.stdout)


def measure(path):
    pair = texts(path)
    return pair and tuple(count(text) for text in pair)


def percent(part, whole):
    return 100.0 * part / max(whole, 1)


def report(name, rows, worst):
    """Prints one set; whether it is within its limits."""
    before, after, lanes = collections.Counter(), collections.Counter(), [0, 0]
    shares = []
    for path, ((ops, ours), (left, theirs)) in rows:
        before.update(ops)
        after.update(left)
        lanes[0] += ours
        lanes[1] += theirs
        total, rest = sum(ops.values()), sum(left.values())
        shares.append((percent(total - rest, total), total, rest, path, ops, left))
    total, rest = sum(before.values()), sum(after.values())
    median = statistics.median(share[0] for share in shares)
    result = (percent(total - rest, total), median, percent(lanes[0] - lanes[1], lanes[0]))
    print(f"{name}: {len(rows)} modules, {total} -> {rest} instructions: LLVM removes {result[0]:.1f} %, "
          f"median {median:.1f} %; lanes {lanes[0]} -> {lanes[1]}: {result[2]:.1f} %")
    print("  kind            before    after  removed  % of all   opcodes")
    for kind, ops in KINDS.items():
        mine, left = sum(before[op] for op in ops), sum(after[op] for op in ops)
        detail = sorted(((before[op] - after[op], op) for op in ops if before[op] != after[op]), key=lambda d: -abs(d[0]))
        print(f"  {kind:12} {mine:9} {left:8} {mine - left:8} {percent(mine - left, total):8.2f}    "
              + ", ".join(f"{op} {n}" for n, op in detail))
    shares.sort(key=lambda share: (share[2] - share[1], share[3]))
    for share, mine, left, path, ops, rests in shares[:worst]:
        kinds = collections.Counter()
        for op in set(ops) | set(rests):
            kinds[KIND[op]] += ops[op] - rests[op]
        causes = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common(4) if n > 0)
        print(f"  {mine - left:6} of {mine:6} ({share:4.1f} %)  {os.path.basename(path)}: {causes}")
    return all(part <= limit for part, limit in zip(result, LIMITS[name]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("airfoil")
    parser.add_argument("corpus")
    parser.add_argument("-O", dest="level", default="2")
    parser.add_argument("--target", default="macos14")
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--explain")
    options = parser.parse_args()
    fine = True
    for name, pattern in SETS.items():
        files = sorted(glob.glob(os.path.join(options.corpus, pattern)))
        if options.explain:
            files = [file for file in files if options.explain in os.path.basename(file)]
        if not files:
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = [options.airfoil, "compile", "--quiet", "-O", options.level, "--target", options.target, "--to", "bc",
                       "--out-dir", folder]
            subprocess.run(command + files, capture_output=True)
            modules = sorted(glob.glob(os.path.join(folder, "**", "*.bc"), recursive=True))
            if options.explain:
                for module in modules:
                    for label, text in zip(("before", "after"), texts(module) or ()):
                        print(f";;;; {os.path.basename(module)}: {label}\n{text}")
                continue
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                rows = [(path, row) for path, row in zip(modules, pool.map(measure, modules)) if row]
            if len(rows) < len(modules):
                print(f"{name}: LLVM rejects {len(modules) - len(rows)} modules")
            print(f"{name}: {len(files)} shaders, {len(modules)} modules")
            fine &= report(name, rows, options.worst)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
