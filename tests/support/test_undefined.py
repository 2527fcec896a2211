#!/usr/bin/env python3
"""Undefined behaviour and lost memory end a program that has sanitizers, and the line is told: what a compiler, an option or asan_globals.c might turn off
unseen. test_undefined.py PROGRAM"""
import re
import subprocess
import sys

failed = 0
ways = subprocess.run(sys.argv[1:2], capture_output=True, text=True, check=True).stdout.split()
for way in ways:
    done = subprocess.run([sys.argv[1], way], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0 or not re.search(r"undefined\.c:\d+", done.stderr) or (way == "global") != ("global-buffer-overflow" in done.stderr):
        failed += 1
        print(f"FAILED  {way}: exit {done.returncode}, {done.stdout}{done.stderr}".replace("ERROR: ", ""))
done = subprocess.run([sys.argv[1], "kept"], capture_output=True, text=True, errors="replace", check=False)
if done.returncode != 0:
    failed += 1
    print(f"FAILED  kept: exit {done.returncode}, {done.stderr}".replace("ERROR: ", ""))
ways.append("kept")
print(f"{len(ways) - failed} passed, {failed} failed")
sys.exit(1 if failed or len(ways) < 9 else 0)
