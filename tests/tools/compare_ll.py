#!/usr/bin/env python3
"""compare_ll.py BEFORE AFTER: explains the differences between two folders of `.ll` files of the same shaders.

Each folder comes from `airfoil compile -O0 --target macos14 --to ll --out-dir FOLDER FILES.spv`, written by two versions of Airfoil.
Counts the files by reason: how the opcodes of the functions differ. Files that no reason covers are printed, with the difference of their opcodes."""
import collections
import pathlib
import re
import sys

METADATA = re.compile(r", !(alias\.scope|noalias|range|llvm\.loop) !\d+|#\d+")


def functions(path):
    """The lines of all functions, without metadata; values have dense names."""
    lines, inside, names = [], False, {}
    for line in path.read_text(errors="replace").splitlines():
        inside |= line.startswith("define")
        if inside:
            line = METADATA.sub("", line).strip()
            lines.append(re.sub(r"%[vb]\d+", lambda m: names.setdefault(m.group(0), f"%{len(names)}"), line))
        inside &= not line.startswith("}")
    return lines


def opcodes(lines):
    count = collections.Counter()
    for line in lines:
        found = re.match(r"(?:%\S+ = )?([a-z]+)", line)
        if found:
            called = re.search(r"\bcall\b.*?@([\w.]+)", line)
            count[called.group(1) if called else found.group(1)] += 1
    return count


def replaced(change, pattern, by):
    """Whether calls of `pattern` replace one each of the opcodes `by`; takes them out of `change`."""
    calls = [name for name in change if re.fullmatch(pattern, name)]
    total = sum(change.pop(name) for name in calls)
    for name in by if total > 0 else []:
        change[name] += total
    return total > 0


def reasons(before, after):
    change = opcodes(after)
    change.subtract(opcodes(before))
    found = []
    for name, pattern, by in [
        ("llvm.fmuladd", r"llvm\.fmuladd\..*", ["fmul", "fadd"]),
        ("minima and maxima", r"llvm\.[su](min|max)\..*", ["icmp", "select"]),
        ("funnel shifts", r"llvm\.fsh[lr]\..*", ["shl", "lshr", "or"]),
    ]:
        if replaced(change, pattern, by):
            found.append(name)
    if change["alloca"] < 0 and change["store"] < 0:
        found.append("constant arrays in address space 2")
        for name in ["alloca", "store", "getelementptr", "bitcast"]:
            change.pop(name, None)
    # An element of an array takes an address as well.
    if change["store"] > 0 and 0 <= change["getelementptr"] <= 2 * change["store"]:
        found.append("zeros for outputs that the shader does not write")
        change["store"] = change["getelementptr"] = 0
    if len(before) == len(after) and all(b in (a, a.replace("undef", "zeroinitializer")) for a, b in zip(before, after)):
        found.append("zero instead of undef as result")
    rest = {name: n for name, n in change.items() if n}
    return (found if not rest else []), rest


def main():
    before, after = map(pathlib.Path, sys.argv[1:3])
    count = collections.Counter()
    for path in sorted(before.glob("*.ll")):
        other = after / path.name
        if path.read_bytes() == other.read_bytes():
            count["equal"] += 1
            continue
        a, b = functions(path), functions(other)
        if a == b:
            count["metadata only"] += 1
            continue
        found, rest = reasons(a, b)
        if not found:
            print(path.name, rest)
            count["unexplained"] += 1
        for reason in found:
            count[reason] += 1
    for name, n in count.most_common():
        print(f"{n:5} {name}")
    return 1 if count["unexplained"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main())
