#!/usr/bin/env python3
"""Compares the lanes that Airfoil leaves with those that Mesa's NIR leaves, at the deref stage.

  nir_lanes.py AIRFOIL CORPUS LANES.csv [SET...]

AIRFOIL is the command; CORPUS the folder of the sets core60 (in bench) and real-spv; LANES.csv has the lanes per shader of
NIR with and without loop unrolling. Prints the totals per set and each shader that keeps more lanes than the better of the
two columns, most lanes first. Exit status 1 if more than 5 % of the shaders of a set do.
"""
import csv
import io
import subprocess
import sys

FOLDERS = {"core60": "bench/core60", "real-spv": "real-spv"}
PIPELINE = "O2_derefs"
LIMIT = 0.05


def lanes_of(airfoil, folder):
    """Lanes by name of file."""
    command = [airfoil, "stats", folder, "--pipeline", PIPELINE, "--format", "csv", "-q"]
    run = subprocess.run(command, capture_output=True, text=True)
    rows = csv.DictReader(io.StringIO(run.stdout))
    return {row["file"].rsplit("/", 1)[-1]: int(row["lanes"]) for row in rows if row["file"] != "total"}


def main():
    airfoil, corpus, table = sys.argv[1:4]
    sets = sys.argv[4:] or list(FOLDERS)
    with open(table) as text:
        nir = list(csv.DictReader(text))
    failed = False
    for name in sets:
        ours = lanes_of(airfoil, f"{corpus}/{FOLDERS[name]}")
        rows = [row for row in nir if row["set"] == name]
        missing = [row["shader"] for row in rows if row["shader"] not in ours]
        rows = [row for row in rows if row["shader"] in ours]
        total = lambda f: sum(f(row) for row in rows)
        better = lambda row: min(int(row["nir_lanes"]), int(row["nir_nounroll_lanes"]))
        print(f"{name}: {len(rows)} shaders, {total(lambda r: ours[r['shader']])} lanes; "
              f"NIR {total(lambda r: int(r['nir_lanes']))}, without unrolling {total(lambda r: int(r['nir_nounroll_lanes']))}, "
              f"the better of both {total(better)}; in the table {total(lambda r: int(r['airfoil_lanes']))}")
        for shader in missing:
            print(f"  missing: {shader}")
        worse = [(ours[row["shader"]] - better(row), row) for row in rows if ours[row["shader"]] > better(row)]
        worse.sort(key=lambda pair: (-pair[0], pair[1]["shader"]))
        share = len(worse) / max(len(rows), 1)
        print(f"  {len(worse)} shaders ({100 * share:.1f} %) keep more lanes than the better column:")
        for more, row in worse:
            print(f"  {more:6} more: {ours[row['shader']]:6} / {better(row):6}  {row['shader']}")
        failed |= share > LIMIT or bool(missing)
    sys.exit(1 if failed else 0)


main()
