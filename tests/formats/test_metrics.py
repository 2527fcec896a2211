#!/usr/bin/env python3
"""OpenMetrics of a check, of a diff and of one capture, read by the parser of the Prometheus client: strict, and names come back as labels.

usage: test_metrics.py FORMAT_SAMPLE
"""
from kit import NAMES, fail, harmless, run, same, unmarked, wanted

MOST = 500 # samples of one family (HSD_GAUGES_MOST)
parser = wanted("prometheus_client.openmetrics.parser", "python3-prometheus-client")


def families(what, *arguments):
    text = harmless(what, run(*arguments))
    if not text.endswith("\n# EOF\n") or text.count("# EOF\n") != 1:
        fail(f"{what}: no end")
    found = {family.name: family for family in parser.text_string_to_metric_families(text)}
    for family in found.values():
        series = [tuple(sorted(sample.labels.items())) for sample in family.samples]
        if len(set(series)) != len(series):
            fail(f"{what}: {family.name} has one series twice")
        if family.type != "gauge" or not family.documentation:
            fail(f"{what}: {family.name} is no gauge with a help")
        if len(series) > MOST:
            fail(f"{what}: {len(series)} series of {family.name}")
    return found


def only(found, name):
    (sample,) = found[name].samples
    return sample.value


def check_check(outcome):
    found = families("check", "check", "openmetrics", outcome)
    same("rules", [unmarked(sample.labels["rule"]) for sample in found["hsdiff_check_rule_outcome"].samples], NAMES[:MOST])
    if only(found, "hsdiff_check_rules_left_out") != len(NAMES) - MOST:
        fail("check: rules left out")
    if sum(sample.value for sample in found["hsdiff_check_rules"].samples) != len(NAMES):
        fail("check: rules by outcome")
    figures = found["hsdiff_check_rule_over"].samples
    if outcome in ("unknown", "off") and figures:
        fail("check: figures of what is not known")
    if outcome == "fail" and [sample.value for sample in figures] != [990 + i for i in range(MOST)]:
        fail("check: by how much rules are over")


def check_diff():
    found = families("diff", "diff", "openmetrics", "all")
    for what, key in (("", "type"), ("_root", "root")):
        rows = [sample for sample in found[f"hsdiff_heap{what}_bytes"].samples if sample.labels["side"] == "after"]
        same(f"{key}s", [unmarked(sample.labels[key]) for sample in rows], NAMES[-MOST // 2:])
        others = {sample.labels["side"]: sample.value for sample in found[f"hsdiff_heap_other_{key}s_bytes"].samples}
        total = {sample.labels["side"]: sample.value for sample in found["hsdiff_heap_live_bytes"].samples}
        if sum(sample.value for sample in rows) + others["after"] != total["after"]:
            fail(f"diff: {key}s do not add up")
        if only(found, f"hsdiff_heap_other_{key}s") != len(NAMES) - MOST // 2:
            fail(f"diff: {key}s left out")


def check_top():
    """The largest come first, what is left out is counted, and all adds up."""
    found = families("top", "top", "openmetrics", "all")
    for key in ("type", "root"):
        rows = found[f"hsdiff_top_{key}_bytes"].samples
        same(f"top {key}s", [unmarked(sample.labels[key]) for sample in rows], NAMES[:MOST])
        if only(found, f"hsdiff_top_other_{key}s") != len(NAMES) - MOST:
            fail(f"top: {key}s left out")
        others, total = only(found, f"hsdiff_top_other_{key}s_bytes"), only(found, f"hsdiff_top_all_{key}s_bytes")
        if sum(sample.value for sample in rows) + others != total:
            fail(f"top: {key}s do not add up")
    objects = found["hsdiff_top_object_retained_bytes"].samples
    check_places("top", [sample.labels["place"] for sample in objects])
    if only(found, "hsdiff_top_other_objects") != len(NAMES) - MOST:
        fail("top: objects left out")


def check_places(what, labels):
    """Each is of the name that it should be of."""
    places = [unmarked(label) for label in labels]
    if len(places) != MOST or not all(name in place for name, place in zip(NAMES, places)):
        fail(f"{what}: {len(places)} places")


def check_paths():
    found = families("paths", "paths", "openmetrics", "all")
    rows = found["hsdiff_paths_path_bytes"].samples
    check_places("paths", [sample.labels["path"] for sample in rows])
    if [sample.value for sample in rows] != [100 * (len(NAMES) - i) for i in range(MOST)]:
        fail("paths: bytes")
    if sum(sample.value for sample in rows) + only(found, "hsdiff_paths_other_paths_bytes") != only(found, "hsdiff_paths_all_paths_bytes"):
        fail("paths: bytes do not add up")
    if only(found, "hsdiff_paths_other_paths") != len(NAMES) - MOST:
        fail("paths: paths left out")


def main():
    for outcome in ("ok", "warn", "fail", "unknown", "off", "mixed", "series"):
        check_check(outcome)
    check_diff()
    check_top()
    check_paths()
    print(f"{MOST} of {len(NAMES)} names came back from openmetrics")


if __name__ == "__main__":
    main()
