#!/usr/bin/env python3
"""Algebraic rules that fire when a corpus is compiled: rules_fired.py AIRFOIL [CORPUS] [-v]

Compiles the shaders of core60, real-spv and real-glsl with `airfoil compile -O2 --stats` and prints how many rules fire in
each folder and in all of them; -v lists them with their counts. The target is macos15, which has atomic operations on images.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = {
    "bench/core60": [],
    "real-spv": [],
    "real-glsl/gl": [],
    "real-glsl/vulkan": ["--vulkan"],
}
STAGES = {".spv", ".vert", ".frag", ".comp", ".geom", ".tesc", ".tese"}


def fired(airfoil, folder, options):
    """The rules that fire in a folder with their counts, and the number of its shaders."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in STAGES)
    if not files:
        sys.exit(f"{folder}: no shaders")
    command = [airfoil, "compile", "-O2", "--stats", "--target", "macos15", "--message-format", "json", "--to", "foil"]
    with tempfile.TemporaryDirectory() as out:
        # A few shaders use features that are unsupported or do not compile alone: the exit status is no success then.
        result = subprocess.run(
            [*command, *options, "--out-dir", out, *files], capture_output=True, text=True, errors="replace"
        )
    for line in result.stderr.splitlines():
        if line.startswith("{") and (message := json.loads(line)).get("$message_type") == "passes":
            return {rule["rule"]: rule["fired"] for rule in message["rules"]}, len(files)
    sys.exit(f"{folder}: no statistics\n{result.stderr}")


def main():
    arguments = [a for a in sys.argv[1:] if a != "-v"]
    airfoil = arguments[0]
    corpus = pathlib.Path(arguments[1] if len(arguments) > 1 else "../shared/corpus")
    union = collections.Counter()
    for name, options in FOLDERS.items():
        rules, shaders = fired(airfoil, corpus / name, options)
        print(f"{name}: {len(rules)} rules in {shaders} shaders")
        union.update(rules)
    if "-v" in sys.argv:
        for rule, count in sorted(union.items(), key=lambda item: (-item[1], item[0])):
            print(f"{count:>7} {rule}")
    every = subprocess.run([airfoil, "rules", "list"], capture_output=True, text=True, check=True).stdout.split()
    print(f"{len(union)} of {every[-2]} rules fire")


main()
