#!/usr/bin/env python3
"""Measures which passes, rules and orders matter: O2 without each of them, other presets, and a search.

  pass_orders.py AIRFOIL CORPUS OUTPUT [--search TRIES] [--time REPETITIONS]

AIRFOIL is the command; CORPUS the folder of the sets core60 (in bench) and real-spv. Each variant runs over both sets by
`airfoil sweep`: counts, the check by execution, and the least time of the passes in so many repetitions. Variants of O2 are
compiled to AIR as well, and `opt-14 -O2` shows what they leave to remove (residual.py). Writes OUTPUT.csv with a row for each
set and variant, OUTPUT.svg, a plot of the lanes and the time of each relative to O2, and prints the table of
docs/experiments/pass-orders.md. Exit status 1 if results differ.
"""
import argparse
import concurrent.futures
import csv
import glob
import io
import os
import re
import subprocess
import sys
import tempfile

import residual

SETS = {"core60": "bench/core60", "real-spv": "real-spv"}
# Passes of the loop of O2, and of its other parts.
PASSES = ["simplify", "scalar_products", "split_lanes", "shrink_vectors", "remove_phis", "dead_cf", "loop_unroll", "opt_loop",
          "simplify_if", "peephole_select", "copy_prop_vars", "dead_write_vars", "constant_arrays", "global_to_local",
          "split_array_vars"]
# Presets that O2 consists of.
PARTS = ["O2_front", "O2_variables", "outputs", "slots", "io", "values", "front", "locals", "unroll", "memory"]
PRESETS = ["O0", "nir-softpipe", "nir-radv", "spirv-opt-O"]
SIZES = ["instrs", "lanes", "pressure", "phis", "ifs", "loops"]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)




def without(pipeline, name):
    """A pipeline without a pass."""
    text = re.sub(rf"\b{name}(\{{[^}}]*\}})?\s*(,|(?=\)|$))", "", pipeline)
    return re.sub(r",\s*\)", ")", text).strip().rstrip(",")


def steps(airfoil, name):
    """A preset with all presets in it replaced by their steps."""
    text = run(airfoil, "explain", name).stdout.split("\n\n", 1)[1].strip()
    return re.sub(r"\b(" + "|".join(PARTS) + r")\b(?!{)", lambda part: steps(airfoil, part[1]), " ".join(text.split()))


def groups(airfoil):
    """Names of rules by group."""
    found, name = {}, None
    for line in run(airfoil, "rules", "list").stdout.splitlines():
        if match := re.match(r"(\S.*) \(\d+\)$", line):
            name = match[1]
            found[name] = []
        elif match := re.match(r"  (\w+)[ :\[]", line):
            found[name].append(match[1])
    return found


def variants(airfoil):
    """Name and pipeline of each variant; that of O2 is the base."""
    o2 = steps(airfoil, "O2")
    # Twice, to show how exact the times are.
    found = {"O2": o2, "O2-again": o2}
    for name in PASSES:
        pipeline = without(o2, name)
        if pipeline != o2:
            found[f"without-{name}"] = pipeline
    for group, rules in groups(airfoil).items():
        found["without-rules-" + re.sub(r"[^a-z]+", "-", group.lower())] = re.sub(r"\bsimplify\b", "simplify{without=" + "+".join(rules) + "}", o2)
    for name in PRESETS:
        found[name] = name
    return found


def sweep(airfoil, folder, pipelines, options):
    """The rows of a sweep."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"{name} = {pipeline}\n" for name, pipeline in pipelines.items()))
        file.flush()
        done = run(airfoil, "sweep", "--quiet", folder, "--pipelines", file.name, *options)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    if not rows:
        sys.exit(done.stderr)
    return rows


def left(airfoil, files, name):
    """Instructions of the AIR of modules, and those that LLVM leaves. `name` is a pass that is not run, or None."""
    with tempfile.TemporaryDirectory() as folder:
        def compile_one(file):
            plan = run(airfoil, "compile", "--quiet", "--target", "macos14", "--print-plan", file).stdout
            plan = " ".join(line for line in plan.split("\n") if not line.startswith("#"))
            path = os.path.join(folder, os.path.basename(file) + ".plan")
            with open(path, "w") as out:
                out.write(without(plan, name) if name else plan)
            target = os.path.join(folder, os.path.basename(file) + ".bc")
            run(airfoil, "compile", "--quiet", "--target", "macos14", "--plan", path, file, "-o", target)
            return residual.measure(target) if os.path.exists(target) else None
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = [pair for pair in pool.map(compile_one, files) if pair]
    return len(counts), sum(sum(before[0].values()) for before, _ in counts), sum(sum(after[0].values()) for _, after in counts)


def print_table(rows):
    """Changes relative to O2 in percent, for both sets."""
    found = {(row["set"], row["variant"]): row for row in rows}
    print("| variant | " + " | ".join(f"{name}: instructions | lanes | time | LLVM removes" for name in SETS) + " |")
    print("|---|" + "---|" * 4 * len(SETS))
    for variant in dict.fromkeys(row["variant"] for row in rows):
        cells = []
        for name in SETS:
            row, base = found[name, variant], found[name, "O2"]
            cells += [f"{100 * (float(row[size]) / float(base[size]) - 1):+.2f} %" for size in ("instrs", "lanes", "us")]
            cells.append(f"{100 * (1 - row['llvm'] / row['air']):.1f} %" if row.get("air") else "")
        print(f"| `{variant}` | " + " | ".join(cells) + " |")


def plot(rows, path):
    """Bars of the lanes and the time of each variant, in percent of O2's."""
    height, label, width = 18, 330, 260
    names = [row["variant"] for row in rows if row["set"] == "real-spv" and row["variant"] != "O2"]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{label + 2 * width + 60}" height="{height * len(names) + 50}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>']
    for column, (size, title) in enumerate([("lanes", "lanes, % of O2"), ("us", "time of the passes, % of O2")]):
        x = label + column * (width + 30)
        out.append(f'<text x="{x}" y="16" font-weight="bold">{title}</text>')
        base = next(float(row[size]) for row in rows if row["set"] == "real-spv" and row["variant"] == "O2")
        values = {row["variant"]: 100 * float(row[size]) / base for row in rows if row["set"] == "real-spv"}
        scale = width / 2 / max(abs(value - 100) for value in values.values())
        for index, name in enumerate(names):
            y, change = 26 + index * height, values[name] - 100
            start = x + width / 2 + min(change, 0) * scale
            out.append(f'<rect x="{start:.1f}" y="{y}" width="{max(abs(change) * scale, 0.5):.1f}" height="{height - 5}" '
                       f'fill="{"#c0392b" if change > 0 else "#2980b9"}"/>')
            out.append(f'<text x="{x + width}" y="{y + 11}" text-anchor="end">{change:+.2f}</text>')
            if column == 0:
                out.append(f'<text x="{label - 8}" y="{y + 11}" text-anchor="end">{name}</text>')
        out.append(f'<line x1="{x + width / 2}" x2="{x + width / 2}" y1="24" y2="{26 + height * len(names)}" stroke="black"/>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("airfoil")
    parser.add_argument("corpus")
    parser.add_argument("output")
    parser.add_argument("--search", type=int, default=100)
    parser.add_argument("--time", type=int, default=20)
    options = parser.parse_args()
    pipelines, table, wrong = variants(options.airfoil), [], 0
    for name, folder in SETS.items():
        folder = os.path.join(options.corpus, folder)
        checked = sweep(options.airfoil, folder, pipelines, [])
        timed = sweep(options.airfoil, folder, pipelines, ["--no-check", "-j", "1", "--time", str(options.time)])
        files = sorted(glob.glob(os.path.join(folder, "*.o0.spv" if name == "real-spv" else "*.spv")))
        for variant in pipelines:
            rows = [row for row in checked if row["pipeline"] == variant]
            times = [row for row in timed if row["pipeline"] == variant]
            row = {"set": name, "variant": variant, "files": len(rows)}
            for size in SIZES:
                values = [int(r[size]) for r in rows if r[size]]
                row[size] = max(values) if size == "pressure" else sum(values)
            row["us"] = f"{sum(float(r['us']) for r in times if r['us']):.0f}"
            row["same"] = sum(r["check"] == "same" for r in rows)
            row["differs"] = sum(r["check"] == "differs" for r in rows)
            wrong += row["differs"]
            if variant == "O2" or variant.removeprefix("without-") in PASSES:
                removed = variant.removeprefix("without-") if variant != "O2" else None
                row["modules"], row["air"], row["llvm"] = left(options.airfoil, files, removed)
            table.append(row)
            print(f"{name} {variant}", file=sys.stderr, flush=True)
        if options.search:
            done = run(options.airfoil, "sweep", folder, "--search", str(options.search), "--seed", "1", "-o", os.devnull,
                       "--format", "csv")
            print(f"{name}: " + done.stderr.strip().split("measured\n", 1)[-1].split("seed 1\n")[-1])
    columns = ["set", "variant", "files", *SIZES, "us", "same", "differs", "modules", "air", "llvm"]
    with open(options.output + ".csv", "w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    plot(table, options.output + ".svg")
    print_table(table)
    sys.exit(1 if wrong else 0)


main()
