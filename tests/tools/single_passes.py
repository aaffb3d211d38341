#!/usr/bin/env python3
"""Runs each pass of form `variables` alone on modules and validates the results: single_passes.py AIRFOIL FOLDER [OPTION...]

OPTIONs go to `airfoil opt`; with `--raw`, modules are not simplified while they are read. A module that a pass rejects is counted.
spirv-val must accept all modules that are written.
"""

import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

# Options without which a pass rejects every module.
REQUIRED = {"clip_distances_to_position": "{mode=whole_primitive}"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def validate(path):
    verdict = run("spirv-val", "--target-env", "vulkan1.3", path)
    return None if verdict.returncode == 0 else (verdict.stdout + verdict.stderr).strip()


def main():
    airfoil, folder, *options = sys.argv[1:]
    files = sorted(glob.glob(os.path.join(folder, "*.spv")))
    if not files:
        sys.exit(f"{folder}: no modules")
    listed = json.loads(run(airfoil, "passes", "--json").stdout)
    listed = listed.get("passes", listed) if isinstance(listed, dict) else listed
    names = [p["name"] for p in listed if "variables" in p["takes"] and p.get("leaves") in (None, "variables")]
    written, invalid, rejected = 0, 0, {}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for name in names:
            with tempfile.TemporaryDirectory() as out:
                run(airfoil, "opt", *files, *options, "--passes", name + REQUIRED.get(name, ""), "--to", "spv", "--out-dir", out)
                modules = sorted(glob.glob(os.path.join(out, "*.spv")))
                for path, fault in zip(modules, pool.map(validate, modules)):
                    if fault:
                        invalid += 1
                        print(f"{name}: {os.path.basename(path)}: {fault}")
                written += len(modules)
                if len(modules) < len(files):
                    rejected[name] = len(files) - len(modules)
    for name, count in rejected.items():
        print(f"{name} rejects {count} of {len(files)}")
    print(f"{len(names)} passes, {written} modules written, {invalid} invalid")
    sys.exit(1 if invalid or not written else 0)


main()
