#!/usr/bin/env python3
"""Seeds of fuzz_config: one rule for each subject, metric, limit and level, and small files of every form of YAML that is read or refused.

usage: fuzz_config_seeds.py FOLDER
"""
import os
import sys

SUBJECTS = ["", "type: A*", "root: /^g/", "holder: 'global *'"]
METRICS = ["total.bytes", "objects", "new.bytes", "new.types", "unreached.bytes", "survived.objects", "metric:rss"]
LIMITS = ["0", "1.5 MiB", "5 %", "[1 KB per round, 0.05 % per round]"]
FORMS = ["check: {ignore: ['^a', b$, /c{2}/], min: 1 B, warmup: 3, one_off: 2 GiB}\n",
         "allow: [{type: '?', reason: x, up_to: 1 MiB, until: 2024-02-29}, {holder: '*', reason: y}]\n",
         "rules:\n  - type: |\n      A\n    max_growth: >-\n      5\n      %\n",
         "%YAML 1.1\n---\nrules:\n  - {\"type\": \"\\x41\\u0042\\U00000043\\0\", max_growth: 1}\n...\n",
         "a: &x 1\nb: *x\n", "? [k]\n: v\n", "!!map {a: 1}\n", "---\n---\n", "\ufeffcheck: {}\n", ""]


def seeds():
    for i, subject in enumerate(SUBJECTS):
        for k, metric in enumerate(METRICS):
            limit = LIMITS[(i + k) % len(LIMITS)]
            head = f"  - {subject}\n    " if subject else "  - "
            yield f"rules:\n{head}metric: {metric}\n    max_growth: {limit}\n    level: warn\n"
    yield from FORMS


def main(folder):
    for number, seed in enumerate(seeds()):
        with open(os.path.join(folder, f"config-{number:02}"), "wb") as file:
            file.write(seed.encode())


if __name__ == "__main__":
    main(sys.argv[1])
