#!/usr/bin/env python3
"""Whole runs of the command: exit status, standard output and standard error of each, held against expected/.

usage: test_cli.py [--rewrite] HSDIFF [REPORT_SAMPLE] [-k WORD]
Every case runs in a folder of its own that holds the same small inputs. What differs from run to run (times) is replaced
by a fixed word before it is compared. --rewrite writes the files anew: look at the change before you commit it.
"""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import inputs
import test_names

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected")

PROFILES = "hsdiff export -q d/demo-before.hs -o a.pb.gz && hsdiff export -q d/demo-after.hs -o b.pb.gz && "

# name: (command line, exit status). "hsdiff" is the program; a shell runs the line.
CASES = {
    # what people type first
    "no-arguments": ("hsdiff", 0),
    "help": ("hsdiff --help", 0),
    "help-short": ("hsdiff d/demo-before.hs -h", 0),
    "help-command": ("hsdiff help import", 0),
    "help-anywhere": ("hsdiff verify x.hs --help", 0),
    "version": ("hsdiff --version", 0),
    "help-formats": ("hsdiff help formats", 0),
    "help-output": ("hsdiff help output", 0),
    "help-json": ("hsdiff help json", 2),
    "help-export": ("hsdiff help export", 0),
    "help-mcp": ("hsdiff help mcp", 0),
    "demo": ("hsdiff demo && ls demo-before.hs demo-after.hs", 0),
    "demo-again": ("hsdiff demo -o d", 2),
    # exports
    "export-collapsed": ("hsdiff export -q d/demo-after.hs --to collapsed -o -", 0),
    "export-growth": ("hsdiff export d/demo-before.hs d/demo-after.hs --to collapsed -o - | head -n 5", 0),
    "export-told": ("hsdiff export d/demo-after.hs -o x.collapsed && hsdiff export d/demo-after.hs -o x.heapsnapshot", 0),
    "export-other-runtime": ("hsdiff export -q b.hprof -o x.heapsnapshot && hsdiff top -q --top 4 x.heapsnapshot | sed '/^BIGGEST/,$d'", 0),
    "export-no-output": ("hsdiff export d/demo-after.hs", 2),
    "export-no-format": ("hsdiff export d/demo-after.hs -o x.zip", 2),
    "export-unknown": ("hsdiff export d/demo-after.hs --to zip -o x", 2),
    "export-pair": ("hsdiff export d/demo-before.hs d/demo-after.hs -o x.heapsnapshot", 2),
    "export-stdout": ("hsdiff export d/demo-after.hs --to sqlite -o -", 2),
    "export-exists": ("hsdiff export d/demo-after.hs --to collapsed -o text.txt; echo $?; head -c 7 text.txt", 0),
    "export-baseline": ("hsdiff baseline -q d/demo-after.hs -o base.hs && hsdiff export base.hs -o x.heapsnapshot", 3),
    "export-missing": ("hsdiff export none.hs -o x.heapsnapshot", 3),
    # the diff
    "diff": ("hsdiff d/demo-before.hs d/demo-after.hs", 0),
    "diff-named": ("hsdiff diff -q d/demo-before.hs d/demo-after.hs", 0),
    "diff-mirrored": ("hsdiff -q d/demo-after.hs d/demo-before.hs", 0),
    "diff-itself": ("hsdiff d/demo-before.hs d/demo-before.hs", 0),
    "diff-bytes": ("hsdiff -q --bytes d/demo-before.hs d/demo-after.hs", 0),
    "diff-plain": ("hsdiff --plain d/demo-before.hs d/demo-after.hs", 0),
    "diff-top": ("hsdiff -q --top 2 d/demo-before.hs d/demo-after.hs", 0),
    "diff-sort-name": ("hsdiff -q -s name d/demo-before.hs d/demo-after.hs", 0),
    "diff-min": ("hsdiff -q --min 700K d/demo-before.hs d/demo-after.hs", 0),
    "diff-color": ("hsdiff -q --color always d/demo-before.hs d/demo-after.hs", 0),
    "diff-json": ("hsdiff --format json d/demo-before.hs d/demo-after.hs", 0),
    "diff-json-top": ("hsdiff --format=json --top 1 d/demo-before.hs d/demo-after.hs", 0),
    "diff-csv": ("hsdiff --format csv d/demo-before.hs d/demo-after.hs", 0),
    "diff-csv-roots": ("hsdiff --format csv --table roots d/demo-before.hs d/demo-after.hs", 0),
    "diff-csv-holders": ("hsdiff --format csv --table holders d/demo-before.hs d/demo-after.hs", 0),
    "diff-csv-tree": ("hsdiff --format csv --table tree d/demo-before.hs d/demo-after.hs", 0),
    "diff-json-tree": ("hsdiff --format json --tree d/demo-before.hs d/demo-after.hs", 0),
    "diff-tree": ("hsdiff -q --tree d/demo-before.hs d/demo-after.hs", 0),
    "diff-plain-tree": ("hsdiff --plain --tree a.heapsnapshot b.heapsnapshot", 0),
    "diff-html": ("hsdiff -q d/demo-before.hs d/demo-after.hs --html x.html -o r.txt && hsdiff -q --format html d/demo-before.hs d/demo-after.hs | "
                  "cmp - x.html && grep -oE '<(h1|p class=.(relation|card)).*' x.html && hsdiff d/demo-before.hs d/demo-after.hs --html x.html", 2),
    "diff-html-named": ("hsdiff d/demo-before.hs d/demo-after.hs --html x.html | tail -n 2", 0),
    "diff-html-shared": ("hsdiff d/demo-before.hs d/demo-after.hs --html x.html --also json=x.html; hsdiff d/demo-before.hs d/demo-after.hs --html -", 2),
    "output-over-input": ("cp d/demo-after.hs x.hs; ln x.hs y.hs; for what in 'x.hs d/demo-after.hs -o y.hs' 'd/demo-before.hs x.hs --html y.hs' 'export --to hprof x.hs -o ./x.hs' "
                          "'import x.hs -o x.hs' 'top x.hs --retained x.hs' 'salvage x.hs -o x.hs' 'd/demo-before.hs x.hs --also json=x.hs'; "
                          "do hsdiff --force $what || echo $?; done; hsdiff import --force - -o x.hs <x.hs; cmp x.hs d/demo-after.hs && echo untouched", 0),
    "file-over-limit": ("(ulimit -f 1; hsdiff -q d/demo-before.hs d/demo-after.hs --html x.html >r.txt; echo $?; hsdiff import -q a.heapsnapshot -o x.hs; echo $?); ls *.html *.hs", 2),
    "stack-under-limit": ("for kib in 128 255; do (ulimit -s $kib; hsdiff --version >v.txt; echo $?; hsdiff -q d/demo-before.hs d/demo-after.hs -o r.txt; echo $?; ls r.txt); done", 2),
    "html-command": ("cp d/demo-after.hs \"it's <1>.hs\" && hsdiff diff -q --threads 2 -sname d/demo-before.hs \"it's <1>.hs\" --memory=64M --top 3 "
                     "--key 'A B:id' --html x.html -o r.txt && grep -oE '<dt>(Command|Digests)<.*' x.html", 0),
    "html-command-of-a-series": ("hsdiff series -q grow[012].heapsnapshot --no-cohorts --label 1 --label 2 --label 3 --html x.html -o r.txt && "
                                 "grep -oE '<dt>(Command|Digests)<.*' x.html", 0),
    "html-command-of-a-check": ("hsdiff check -q a.heapsnapshot --config rules.yml - <b.heapsnapshot --html x.html -o r.txt; "
                                "grep -oE '<dt>(Command|Digests)<.*' x.html", 0),
    "html-digest-of-a-summary": ("hsdiff -q --summary a.heapsnapshot d/demo-after.hs --html x.html -o r.txt; grep -oE '<dt>Digests<.*' x.html", 0),
    "digest": ("digest() { hsdiff info -q --format json \"$@\" | grep '\"digest'; }; same() { [ \"$1\" = \"$2\" ] && echo same || echo other; }; "
               "cp d/demo-after.hs x.hs; same \"$(digest x.hs)\" \"$(digest d/demo-after.hs)\"; same \"$(digest x.hs)\" \"$(digest d/demo-before.hs)\"; "
               "same \"$(digest b.hprof)\" \"$(cat b.hprof | digest -)\"; same \"$(digest b.hprof)\" \"$(digest --memory 32M --threads 1 b.hprof)\"; "
               "digest b.hprof; digest cut.hs; hsdiff info x.hs | grep ^digest", 0),
    "series-html": ("hsdiff series -q grow[012].heapsnapshot --html x.html -o r.txt && grep -oE '<h1.*' x.html", 0),
    "check-html": ("hsdiff check -q --config rules.yml d/demo-before.hs d/demo-after.hs --html 'my report.html' | grep Report && "
                   "grep -oE '<h1.*' 'my report.html'", 0),
    "diff-sort-retained": ("hsdiff -q -s retained d/demo-before.hs d/demo-after.hs", 0),
    "diff-no-holders": ("hsdiff --no-holders d/demo-before.hs d/demo-after.hs", 0),
    "diff-no-holders-json": ("hsdiff --no-holders --format json d/demo-before.hs d/demo-after.hs", 0),
    "diff-summary": ("hsdiff --summary d/demo-before.hs d/demo-after.hs", 0),
    "diff-match-structure": ("hsdiff -q --match structure d/demo-before.hs d/demo-after.hs | sed '/^Objects matched/,$d'", 0),
    "diff-match-json": ("for how in best structure counts; do hsdiff --match=$how --format json d/demo-before.hs d/demo-after.hs | "
                        "grep -oE '\"(basis|reason|identity_known)\": [^,]+'; done", 0),
    "diff-match-counts": ("hsdiff -q --match counts d/demo-before.hs d/demo-after.hs", 0),
    "diff-match-best": ("hsdiff -q --match counts --match best d/demo-before.hs d/demo-after.hs -o r.txt && "
                        "hsdiff -q d/demo-before.hs d/demo-after.hs | cmp - r.txt", 0),
    "diff-match-jvm": ("hsdiff -q --match structure a.hprof b.hprof | grep 'compared by'; hsdiff -q --match counts a.hprof b.hprof", 0),
    "diff-objects": ("hsdiff -q d/demo-before.hs d/demo-after.hs --objects o.csv -o r.txt && head -4 o.csv && wc -l o.csv "
                     "&& cut -d, -f1 o.csv | sort | uniq -c", 0),
    "diff-objects-stdout": ("hsdiff -q d/demo-before.hs d/demo-after.hs --objects - -o r.txt | tail -1", 0),
    "diff-small-memory": ("hsdiff -q --memory 16M d/demo-before.hs d/demo-after.hs", 0),
    "diff-one-thread": ("hsdiff -q --threads 1 --temp-dir . d/demo-before.hs d/demo-after.hs", 0),
    # captures that say where things were allocated, and not what keeps them alive
    "sites": (PROFILES + "hsdiff -q a.pb.gz b.pb.gz", 0),
    "sites-plain": (PROFILES + "hsdiff -q --plain a.pb.gz b.pb.gz | grep site", 0),
    "sites-ndjson": (PROFILES + "hsdiff -q --format ndjson --top 2 a.pb.gz b.pb.gz | grep -E '\"(site|total|others)\"'", 0),
    "sites-markdown": (PROFILES + "hsdiff -q --format markdown a.pb.gz b.pb.gz", 0),
    "sites-html": (PROFILES + "hsdiff -q --format html a.pb.gz b.pb.gz | sed -n '/id=\"sites\"/,/<.section>/p'", 0),
    # foreign dumps
    "diff-v8": ("hsdiff a.heapsnapshot b.heapsnapshot", 0),
    "diff-v8-summary": ("hsdiff --summary a.heapsnapshot b.heapsnapshot", 0),
    "diff-jvm": ("hsdiff a.hprof b.hprof", 0),
    "diff-jvm-summary": ("hsdiff --summary a.hprof b.hprof", 0),
    "diff-jvm-several": ("hsdiff -q several.hprof several.hprof --dump 1,2", 0),
    "several": ("hsdiff several.hprof b.hprof", 3),
    "several-too-few": ("hsdiff info several.hprof --dump 3", 3),
    "both-fail": ("hsdiff --threads 1 cut.heapsnapshot cut.hprof", 3),
    "both-fail-at-once": ("hsdiff cut.heapsnapshot cut.hprof 2> e.txt; s=$?; grep -c 'Usual causes' e.txt; exit $s", 3),
    "diff-mixed": ("hsdiff import -q a.heapsnapshot -o a.hs && hsdiff a.hs b.heapsnapshot", 0),
    "diff-stdin-pipe": ("cat a.heapsnapshot | hsdiff - b.heapsnapshot", 0),
    "diff-stdin-file": ("hsdiff a.heapsnapshot - < b.heapsnapshot", 0),
    "diff-stdin-capture": ("cat d/demo-before.hs | hsdiff -q - d/demo-after.hs", 0),
    "diff-process-substitution": ("bash -c 'hsdiff -q <(cat a.heapsnapshot) <(cat b.heapsnapshot)' | tail -n +4", 0),
    "import": ("hsdiff import a.heapsnapshot -o a.hs && hsdiff info -q a.hs | grep -v ^taken", 0),
    "import-jvm": ("hsdiff import a.hprof -o a.hs && hsdiff dump a.hs --only types,roots,totals", 0),
    "import-stdout": ("hsdiff import a.hprof -o - | hsdiff dump - --only losses,types", 0),
    "import-level": ("hsdiff import -q --level 0 a.hprof -o 0.hs && hsdiff import -q --level 9 a.hprof -o 9.hs && "
                     "test $(stat -c %s 0.hs) -gt $(stat -c %s 9.hs) && echo smaller", 0),
    "import-summary": ("hsdiff import -q --summary a.hprof -o s.hs && hsdiff --summary s.hs b.hprof", 0),
    # one capture by itself
    "top": ("hsdiff top d/demo-after.hs", 0),
    "top-sort": ("hsdiff top -q d/demo-after.hs -s objects --top 2 --bytes", 0),
    "top-plain": ("hsdiff top --plain --top 3 d/demo-after.hs", 0),
    "top-json": ("hsdiff top --format json --top 2 d/demo-after.hs", 0),
    "top-csv": ("hsdiff top --format csv d/demo-after.hs && hsdiff top --format csv --table roots d/demo-after.hs && "
                "hsdiff top --format csv --table objects d/demo-after.hs | head -3", 0),
    "top-retained": ("hsdiff top -q d/demo-after.hs --retained r.csv -o t.txt && head -4 r.csv && wc -l r.csv t.txt", 0),
    "top-v8": ("hsdiff top b.heapsnapshot", 0),
    "top-jvm": ("hsdiff top b.hprof --top 4", 0),
    "top-stdin": ("cat d/demo-after.hs | hsdiff top - | head -2", 0),
    "top-small-memory": ("hsdiff top -q --memory 24M --threads 1 --temp-dir . d/demo-after.hs -o a.txt && "
                         "hsdiff top -q d/demo-after.hs | cmp - a.txt", 0),
    "top-summary": ("hsdiff import -q --summary a.hprof -o s.hs && hsdiff top s.hs", 0),
    "top-bad-sort": ("hsdiff top -s growth d/demo-after.hs", 2),
    "top-bad-format": ("hsdiff top --format xml d/demo-after.hs", 2),
    "top-bad-table": ("hsdiff top --table holders d/demo-after.hs", 2),
    "top-of-diff": ("hsdiff -s bytes d/demo-before.hs d/demo-after.hs", 2),
    "top-two": ("hsdiff top d/demo-before.hs d/demo-after.hs", 2),
    "top-none": ("hsdiff top", 2),
    "top-stdout-twice": ("hsdiff top d/demo-after.hs --retained -", 2),
    "top-retained-exists": ("echo kept > r.csv; hsdiff top d/demo-after.hs --retained r.csv; s=$?; cat r.csv; exit $s", 2),
    "top-cut": ("hsdiff top cut.hs", 3),
    "top-cut-partial": ("hsdiff top --partial cut.hs", 3),
    "top-cut-jvm": ("hsdiff top --partial cut.hprof", 3),
    "top-missing": ("hsdiff top nowhere.hs", 3),
    "paths": ("hsdiff paths d/demo-after.hs Session", 0),
    "paths-top": ("hsdiff paths -q --top 1 --bytes d/demo-after.hs string", 0),
    "paths-glob": ("hsdiff paths -q d/demo-after.hs '[BC]*' ; hsdiff paths -q d/demo-after.hs 'Session*'", 0),
    "paths-id": ("hsdiff paths d/demo-after.hs @1 && hsdiff paths -q d/demo-after.hs 0x1 | tail -3 && "
                 "hsdiff paths -q d/demo-after.hs 1 | tail -3", 0),
    "paths-plain": ("hsdiff paths --plain d/demo-after.hs Buffer", 0),
    "paths-json": ("hsdiff paths --format json --top 1 d/demo-after.hs Session", 0),
    "paths-csv": ("hsdiff paths --format csv --top 1 d/demo-after.hs Session", 0),
    "paths-v8": ("hsdiff paths b.heapsnapshot Session", 0),
    "paths-jvm": ("hsdiff paths b.hprof com.shop.Session", 0),
    "paths-not-there": ("hsdiff paths d/demo-after.hs Sesion", 2),
    "paths-no-id": ("hsdiff paths d/demo-after.hs @99999999", 2),
    "paths-hostile": ("hsdiff paths d/demo-after.hs \"$(printf '\\033[31m\\n::error::')\"", 2),
    "paths-nothing": ("hsdiff paths d/demo-after.hs ''", 2),
    "paths-one": ("hsdiff paths d/demo-after.hs", 2),
    "paths-three": ("hsdiff paths d/demo-after.hs A B", 2),
    "paths-cut": ("hsdiff paths cut.hs Session", 3),
    "paths-cut-partial": ("hsdiff paths --partial cut.hs Session", 3),
    "paths-cut-jvm": ("hsdiff paths --partial cut.hprof com.shop.Session", 3),
    "paths-no-graph": ("hsdiff import -q --summary a.hprof -o s.hs && hsdiff paths s.hs com.shop.Session", 3),
    # in SQL
    "sql": ("hsdiff sql d/demo-after.hs 'select name, objects, bytes from types order by bytes desc limit 4'", 0),
    "sql-forms": ("for form in text json csv; do hsdiff sql d/demo-after.hs --format $form \"select 1 as one, null, 'a,b' as text, 1.5\"; done; "
                  "hsdiff sql --plain d/demo-after.hs 'select type, live_bytes from heap_types'", 0),
    "sql-pair": ("hsdiff sql d/demo-before.hs d/demo-after.hs 'select path, growth_bytes from v_holders'", 0),
    "sql-jvm": ("hsdiff sql a.hprof \"select source_type, edge, target_type from v_references where kind = 'static'\"", 0),
    "sql-stdin": ("echo 'select count(*) from objects' | hsdiff sql d/demo-after.hs - && "
                  "cat d/demo-after.hs | hsdiff sql - 'select count(*) from objects'", 0),
    "sql-database": ("hsdiff export d/demo-after.hs -o h.sqlite && hsdiff sql h.sqlite 'select count(*) from refs' && stat -c %a h.sqlite && rm h.sqlite", 0),
    "sql-no-rows": ("hsdiff sql d/demo-after.hs 'select * from losses'", 0),
    "sql-wrong": ("hsdiff sql d/demo-after.hs 'select nam from types'", 2),
    "sql-no-table": ("hsdiff sql d/demo-after.hs 'select * from growth_types'", 2),
    "sql-writes": ("hsdiff sql d/demo-after.hs 'delete from types'", 2),
    "sql-two": ("hsdiff sql d/demo-after.hs 'select 1; select 2'", 2),
    "sql-no-statement": ("hsdiff sql d/demo-before.hs d/demo-after.hs", 2),
    "sql-one": ("hsdiff sql d/demo-after.hs", 2),
    "sql-cut": ("hsdiff sql cut.hs 'select count(*) from objects'", 3),
    "sql-cut-partial": ("hsdiff sql --partial cut.hs 'select is_complete, incomplete_reason from captures'", 3),
    "help-sql": ("hsdiff help sql", 0),
    # the viewer; what it serves is tested in tests/view
    "help-view": ("hsdiff help view", 0),
    "view-nothing": ("hsdiff view", 2),
    "view-stdin-twice": ("hsdiff view - -", 2),
    "view-bad-port": ("hsdiff view d/demo-after.hs --port 65536", 2),
    "view-bad-idle": ("hsdiff view d/demo-after.hs --idle soon", 2),
    "view-match-of-three": ("hsdiff view d/demo-before.hs d/demo-after.hs d/demo-after.hs --match counts", 2),
    "capture-view-started": ("hsdiff capture --view -- true", 2),
    "capture-view-again": ("hsdiff capture 1 --view --every 10s", 2),
    "capture-view-stdout": ("hsdiff capture 1 --view -o -", 2),
    "capture-view-json": ("hsdiff capture 1 --view --format json", 2),
    "capture-open-alone": ("hsdiff capture 1 --open", 2),
    "help-top": ("hsdiff help top", 0),
    "help-paths": ("hsdiff paths --help", 0),
    # looking into a capture
    "info": ("hsdiff info d/demo-after.hs", 0),
    "info-json": ("hsdiff info --format json d/demo-after.hs", 0),
    "info-bytes": ("hsdiff info --bytes d/demo-after.hs", 0),
    "info-jvm": ("hsdiff info a.hprof", 0),
    "dump-types": ("hsdiff dump d/demo-before.hs --only types,labels,strings,totals", 0),
    "dump-objects": ("hsdiff dump d/demo-before.hs --only objects,roots --top 3", 0),
    "verify": ("hsdiff verify d/demo-before.hs d/demo-after.hs", 0),
    "verify-quiet": ("hsdiff verify -q d/demo-before.hs", 0),
    "salvage-complete": ("hsdiff salvage d/demo-before.hs -o s.hs && hsdiff info s.hs", 0),
    # damaged inputs
    "cut-diff": ("hsdiff d/demo-before.hs cut.hs", 3),
    "cut-diff-partial": ("hsdiff --partial d/demo-before.hs cut.hs", 3),
    "cut-info": ("hsdiff info cut.hs", 3),
    "cut-dump": ("hsdiff dump cut.hs", 3),
    "cut-verify": ("hsdiff verify cut.hs", 3),
    "cut-salvage": ("hsdiff salvage cut.hs -o part.hs && hsdiff --partial -q d/demo-before.hs part.hs", 3),
    "flipped-diff": ("hsdiff d/demo-before.hs flipped.hs", 3),
    "flipped-verify": ("hsdiff verify flipped.hs", 3),
    "cut-v8": ("hsdiff a.heapsnapshot cut.heapsnapshot", 3),
    "cut-jvm": ("hsdiff a.hprof cut.hprof", 3),
    "cut-jvm-partial": ("hsdiff --partial a.hprof cut.hprof", 3),
    "flipped-header": ("hsdiff info header.hs", 3),
    # many captures: grow0 … grow4 leak, full0 … full4 have a cache that is full
    "series": ("hsdiff series grow?.heapsnapshot", 0),
    "series-unnamed": ("hsdiff -q grow?.heapsnapshot -o r.txt && hsdiff series -q grow?.heapsnapshot | cmp - r.txt", 0),
    "series-full": ("hsdiff series -q full?.heapsnapshot", 0),
    "series-two": ("hsdiff series d/demo-before.hs d/demo-after.hs", 0),
    "series-times": ("hsdiff series -q --bytes d/demo-before.hs d/demo-after.hs d/demo-after.hs", 0),
    "series-backwards": ("hsdiff series -q d/demo-after.hs d/demo-before.hs", 0),
    "series-backwards-v8": ("hsdiff series -q --top 1 grow4.heapsnapshot grow3.heapsnapshot grow2.heapsnapshot | head -6", 0),
    "series-many": ("hsdiff series -q --no-cohorts $(for i in 1 2 3 4 5 6 7 8; do echo grow?.heapsnapshot; done)", 0),
    "series-plain": ("hsdiff series --plain -q grow?.heapsnapshot", 0),
    "series-json": ("hsdiff series -q --format json --label 1 --label 2 --label 3 full[012].heapsnapshot", 0),
    "series-ndjson": ("hsdiff series -q --format ndjson grow[012].heapsnapshot", 0),
    "series-csv": ("hsdiff series -q --format csv grow?.heapsnapshot && hsdiff series -q --format csv --table holders grow?.heapsnapshot", 0),
    "series-markdown": ("hsdiff series -q --format markdown grow?.heapsnapshot", 0),
    "series-openmetrics": ("hsdiff series -q --format openmetrics grow[012].heapsnapshot", 0),
    "series-cohorts": ("hsdiff series -q --cohorts grow?.heapsnapshot | sed -n '/^Of/,$p'", 0),
    "series-cohorts-jvm": ("hsdiff series -q --cohorts a.hprof b.hprof b.hprof | sed -n '/^Live/,$p'", 0),
    "series-survivors": ("hsdiff series -q --survivors grow[012].heapsnapshot", 0),
    "series-warmup": ("hsdiff series -q --warmup 2 grow?.heapsnapshot | head -4", 0),
    "series-summary": ("hsdiff series -q --summary grow?.heapsnapshot", 0),
    "series-no-holders": ("hsdiff series -q --no-holders full?.heapsnapshot", 0),
    "series-mixed": ("hsdiff series -q a.heapsnapshot b.hprof d/demo-before.hs", 0),
    "series-baseline": ("hsdiff baseline -q grow0.heapsnapshot -o base.hs && hsdiff series -q base.hs grow[12].heapsnapshot", 0),
    "series-identities": ("hsdiff baseline -q --identities d/demo-before.hs -o base.hs && hsdiff series -q base.hs d/demo-after.hs | grep ^Live", 0),
    "series-stdin": ("cat grow1.heapsnapshot | hsdiff series -q grow0.heapsnapshot - grow2.heapsnapshot -o r.txt && "
                     "hsdiff series -q grow[012].heapsnapshot | cmp - r.txt", 0),
    "series-cut": ("hsdiff series -q d/demo-before.hs cut.hs d/demo-after.hs; hsdiff series -q grow?.heapsnapshot cut.heapsnapshot", 3),
    "series-cut-partial": ("hsdiff series -q --partial d/demo-before.hs cut.hs d/demo-after.hs", 3),
    "series-missing": ("hsdiff series d/demo-before.hs nowhere.hs d/demo-after.hs", 3),
    "series-one": ("hsdiff series d/demo-before.hs", 2),
    "series-too-many": ("hsdiff series $(yes d/demo-before.hs | head -1001)", 2),
    "series-stdin-twice": ("hsdiff series - d/demo-before.hs -", 2),
    "series-usage": ("for o in '--label x' '--label=' '--warmup 4' '--warmup x' '--survivors' '--cohorts --no-cohorts' '--objects o.csv' '--table tree' "
                     "'--format junit' '--also json' '--also json=-' '--also pdf=x' '--max-bytes no'; do hsdiff series $o grow?.heapsnapshot || s=$?; done; exit $s", 2),
    "series-usage-of-two": ("for o in '--objects o.csv' '--tree' '--key A:b' '--match counts' '--sort name' '--table tree' '--cohorts' '--format sarif'; do "
                            "hsdiff $o grow?.heapsnapshot || s=$?; done; exit $s", 2),
    "series-survivors-ages": ("hsdiff series --survivors --no-cohorts grow[012].heapsnapshot", 2),
    "groups": ("hsdiff -q grow0.heapsnapshot grow1.heapsnapshot -- grow3.heapsnapshot grow4.heapsnapshot", 0),
    "groups-significant": ("hsdiff -q full[1234].heapsnapshot -- a.heapsnapshot a.heapsnapshot a.heapsnapshot a.heapsnapshot", 0),
    "groups-json": ("hsdiff -q --format json a.heapsnapshot b.heapsnapshot -- b.heapsnapshot b.heapsnapshot", 0),
    "groups-of-two": ("hsdiff -q a.heapsnapshot -- b.heapsnapshot -o r.txt", 3),
    "groups-options": ("hsdiff -q a.heapsnapshot a.heapsnapshot -- b.heapsnapshot --bytes", 3),
    "groups-survivors": ("hsdiff series --survivors grow0.heapsnapshot -- grow1.heapsnapshot grow2.heapsnapshot", 2),
    # baselines
    "baseline": ("hsdiff baseline d/demo-before.hs -o base.hs && hsdiff info base.hs && hsdiff verify -q base.hs && hsdiff base.hs d/demo-after.hs", 0),
    "baseline-again": ("hsdiff baseline -q d/demo-before.hs -o base.hs && hsdiff baseline base.hs -o 'its base.hs' && cmp base.hs 'its base.hs' && "
                       "hsdiff baseline -q d/demo-before.hs -o - --memory 16M --threads 1 | cmp - base.hs", 0),
    "baseline-stdout": ("cat a.heapsnapshot | hsdiff baseline - -o - | hsdiff info - | grep ^baseline", 0),
    "baseline-places": ("hsdiff baseline -q --places 2 d/demo-before.hs -o base.hs && hsdiff info base.hs | grep -A1 ^baseline", 0),
    "baseline-jvm": ("hsdiff baseline -q a.hprof -o base.hs && hsdiff -q base.hs b.hprof", 0),
    "baseline-identities-jvm": ("hsdiff baseline -q --identities a.hprof -o base.hs", 3),
    "baseline-exists": ("echo kept > base.hs; hsdiff baseline d/demo-before.hs -o base.hs; s=$?; cat base.hs; exit $s", 2),
    "baseline-forced": ("echo gone > base.hs; hsdiff baseline d/demo-before.hs -o base.hs --force && hsdiff verify base.hs", 0),
    "baseline-nowhere": ("hsdiff baseline d/demo-before.hs", 2),
    "baseline-two": ("hsdiff baseline d/demo-before.hs d/demo-after.hs -o base.hs", 2),
    "baseline-bad-places": ("hsdiff baseline --places 0 d/demo-before.hs -o base.hs", 2),
    "baseline-cut": ("hsdiff baseline cut.hs -o base.hs; s=$?; ls base.hs; exit $s", 3),
    "baseline-cut-partial": ("hsdiff baseline --partial cut.hs -o base.hs", 3),
    "baseline-objects": ("hsdiff baseline -q d/demo-before.hs -o base.hs; for o in '--objects o.csv' '--key Session:user' '--match structure'; do "
                         "hsdiff $o base.hs d/demo-after.hs || s=$?; done; hsdiff paths base.hs Session; hsdiff top base.hs; exit $s", 3),
    # the gate
    "check": ("hsdiff check d/demo-before.hs d/demo-after.hs", 1),
    "check-backwards-v8": ("hsdiff -q --top 1 grow3.heapsnapshot grow2.heapsnapshot | sed -n '/^!/,/^$/p'; hsdiff check grow4.heapsnapshot grow3.heapsnapshot grow2.heapsnapshot", 3),
    "check-passes": ("hsdiff check full2.heapsnapshot full4.heapsnapshot", 0),
    "check-reversed": ("hsdiff check -q d/demo-after.hs d/demo-before.hs", 3),
    "check-same": ("cp d/demo-before.hs c.hs; hsdiff check -q d/demo-before.hs c.hs", 3),
    "check-config": ("hsdiff check --config rules.yml d/demo-before.hs d/demo-after.hs", 1),
    "check-found-config": ("mv rules.yml .hsdiff.yml; hsdiff check -q d/demo-before.hs d/demo-after.hs", 1),
    "check-stdin-config": ("hsdiff check -q --config - full2.heapsnapshot full4.heapsnapshot < rules.yml", 0),
    "check-allowed": ("for day in 2027-03-31 2027-04-01; do SOURCE_DATE_EPOCH=$(date -u -d $day +%s) "
                      "hsdiff check --config allow.yml d/demo-before.hs d/demo-after.hs; s=$?; done; exit $s", 1),
    "check-plain": ("hsdiff check --plain --config rules.yml d/demo-before.hs d/demo-after.hs", 1),
    "check-formats": ("hsdiff check -q --config rules.yml d/demo-before.hs d/demo-after.hs -o r.txt $(for f in json ndjson csv markdown junit sarif "
                      "openmetrics github; do echo --also $f=also-$f.x; done); s=$?; for f in also-*; do echo \"--- $f\"; cat $f; done; exit $s", 1),
    "check-also": ("p='hsdiff check -q --config series.yml a.heapsnapshot b.heapsnapshot'; $p --also junit=j.xml --also github=g.txt -o r.txt; s=$?; "
                   "$p --format junit | cmp - j.xml; $p --format github | cmp - g.txt; $p | cmp - r.txt; exit $s", 1),
    "check-also-exists": ("echo kept > j.xml; hsdiff check d/demo-before.hs d/demo-after.hs --also json=j.json --also junit=j.xml; s=$?; "
                          "cat j.xml; ls j.json; exit $s", 2),
    "check-also-nowhere": ("hsdiff check d/demo-before.hs d/demo-after.hs --also junit=nowhere/j.xml", 4),
    "check-also-cut": ("hsdiff check d/demo-before.hs cut.hs --also junit=j.xml; s=$?; ls j.xml; exit $s", 3),
    "check-series": ("hsdiff check --config series.yml grow?.heapsnapshot", 1),
    "check-series-full": ("hsdiff check -q --config series.yml full?.heapsnapshot", 0),
    "check-series-built-in": ("hsdiff check -q grow?.heapsnapshot --format csv | cut -d, -f1-7 | uniq; hsdiff check -q full?.heapsnapshot -o r.txt", 0),
    # what two variables hold together: said in all formats, allowed by the name of either, left open where a capture cannot be read again
    "check-series-together": ("hsdiff check -q both?.heapsnapshot; s=$?; for f in github markdown junit; do hsdiff check -q both?.heapsnapshot --format $f | grep byName; done; "
                              "hsdiff check -q both?.heapsnapshot --format json | grep -c '\"holders\"'; exit $s", 1),
    "check-series-together-allowed": ("printf '%s\\n' 'allow: [{holder: \"*byName*\", reason: meant}]' 'rules: [{holder: \"*\", max_growth: auto}]' > a.yml; "
                                      "hsdiff check -q --config a.yml both?.heapsnapshot", 0),
    "check-series-together-pipe": ("cat both4.heapsnapshot | hsdiff check -q both[0123].heapsnapshot -", 1),
    "check-summary": ("hsdiff check -q --summary --config rules.yml d/demo-before.hs d/demo-after.hs", 3),
    "check-partial": ("hsdiff check --partial --config rules.yml d/demo-before.hs cut.hs", 3),
    "check-cut-series": ("hsdiff check grow0.heapsnapshot cut.heapsnapshot grow1.heapsnapshot", 3),
    "check-init": ("hsdiff check --init d/demo-before.hs d/demo-after.hs && cat .hsdiff.yml && hsdiff check d/demo-before.hs d/demo-after.hs; s=$?; "
                   "hsdiff check --init d/demo-before.hs d/demo-after.hs; exit $s", 0),
    "check-init-series": ("hsdiff check -q --init grow?.heapsnapshot -o - | tee n.yml && hsdiff check -q --config n.yml grow?.heapsnapshot", 1),
    "check-update": ("hsdiff baseline -q a.heapsnapshot -o base.hs && hsdiff check --config series.yml --update-baseline base.hs b.heapsnapshot && "
                     "hsdiff baseline -q b.heapsnapshot -o - | cmp - base.hs && hsdiff check -q base.hs b.heapsnapshot", 0),
    "check-update-series": ("hsdiff baseline -q a.heapsnapshot -o base.hs && hsdiff check -q --update-baseline base.hs grow?.heapsnapshot -o r.txt && "
                            "hsdiff baseline -q grow4.heapsnapshot -o - | cmp - base.hs", 0),
    "check-update-capture": ("cp d/demo-before.hs base.hs; hsdiff check --update-baseline base.hs d/demo-after.hs; s=$?; cmp base.hs d/demo-before.hs; exit $s", 2),
    "check-update-cut": ("hsdiff baseline -q d/demo-before.hs -o base.hs; cp base.hs b.hs; hsdiff check --update-baseline base.hs cut.hs; s=$?; "
                         "cmp base.hs b.hs; exit $s", 3),
    "check-update-usage": ("for o in --partial --init; do hsdiff check --update-baseline $o base.hs new.hs || s=$?; done; "
                           "hsdiff check --update-baseline - new.hs; hsdiff check --identities base.hs new.hs; exit $s", 2),
    "check-usage": ("for o in '--init --format json' '--init --config rules.yml' '--init --also json=x' '--format xml' '--also junit=x --also json=x' '--also csv=x -o x' "
                    "'--config=' '--survivors' '--tree' '--places 3' '--config - -'; do hsdiff check $o d/demo-before.hs d/demo-after.hs || s=$?; done; exit $s", 2),
    "check-groups": ("hsdiff check a.heapsnapshot a.heapsnapshot -- b.heapsnapshot", 2),
    "check-none": ("hsdiff check", 2),
    "check-missing": ("hsdiff check base.hs d/demo-after.hs", 3),
    "config-missing": ("hsdiff check --config nowhere.yml d/demo-before.hs d/demo-after.hs", 2),
    "config-dangling": ("ln -s nowhere .hsdiff.yml; hsdiff check d/demo-before.hs d/demo-after.hs", 2),
    "config-folder": ("hsdiff check --config d d/demo-before.hs d/demo-after.hs", 2),
    "config-capture": ("hsdiff check --config d/demo-before.hs d/demo-before.hs d/demo-after.hs", 2),
    "config-wrong": ("for text in 'rules: []' 'chekc: 1' 'rules: [{max_growth: lots}]' 'rules: [{max_grow: 0}]' 'rules: [1' 'rules: [{type: /(/, max_growth: 0}]' "
                     "'allow: [{type: X}]'; do echo \"$text\" | hsdiff check --config - d/demo-before.hs d/demo-after.hs || s=$?; done; exit $s", 2),
    "config-hostile": ("printf 'rules:\\n- \"\\\\e[31m\\\\n::error::\": 1\\n' | hsdiff check --config - d/demo-before.hs d/demo-after.hs", 2),
    "help-check": ("hsdiff help check", 0),
    "help-series": ("hsdiff series --help", 0),
    "help-baseline": ("hsdiff help baseline", 0),
    "no-option-of-diff": ("hsdiff --cohorts a b", 2),
    # wrong inputs
    "meant-file": ("hsdiff check d/demo-before.hs d/demo-afer.hs; hsdiff top grow9.heapsnapshot", 3),  # of the numbered ones each is as near
    "dash-file": ("cp d/demo-after.hs ./-x.hs; hsdiff d/demo-before.hs -x.hs", 2),
    "tar": ("tar cf a.tar a.heapsnapshot && hsdiff top a.tar", 3),
    "missing": ("hsdiff d/demo-before.hs nowhere.hs", 3),
    "missing-pattern": ("hsdiff d/demo-before.hs 'run/*.hs'", 3),
    "missing-address": ("hsdiff d/demo-before.hs https://example.org/a.hs", 3),
    "missing-import": ("hsdiff import nowhere.hprof -o x.hs; s=$?; ls x.hs; exit $s", 3),
    "missing-verify": ("hsdiff verify nowhere.hs", 3),
    "empty": ("hsdiff empty.hs d/demo-after.hs", 3),
    "empty-import": ("hsdiff import empty.hs -o x.hs", 3),
    "empty-stdin": ("hsdiff - d/demo-after.hs < /dev/null", 3),
    "folder": ("hsdiff d d/demo-after.hs", 3),
    "folder-verify": ("hsdiff verify d", 3),
    "unknown": ("hsdiff text.txt d/demo-after.hs", 3),
    "unknown-image": ("hsdiff import image.png -o x.hs", 3),
    "unknown-verify": ("hsdiff verify text.txt", 3),
    "import-of-capture": ("hsdiff import d/demo-after.hs -o x.hs", 3),
    "hostile-name": ("hsdiff \"$(printf 'a\\033[31m\\nb.hs')\" d/demo-after.hs", 3),
    "hostile-file": ("f=\"$(printf 'a\\033[31m\\n::error::\\342\\200\\256it'\\''s b.hs')\"; cp d/demo-before.hs \"$f\"; "
                     "hsdiff \"$f\" d/demo-after.hs; hsdiff info \"$f\" | head -1; hsdiff verify \"$f\"", 0),
    # wrong usage
    "inputs-of-sql": ("hsdiff sql d/demo-before.hs d/demo-after.hs d/demo-after.hs 'select 1'", 2),
    "paths-turned": ("hsdiff paths 'Entry<string,Session>' d/demo-after.hs", 3),
    "help-near": ("hsdiff chek --help", 2),
    "receive-no-scheme": ("hsdiff receive 127.0.0.1:9178; hsdiff receive ./heaps.sock", 2),
    "receive-no-folder": ("hsdiff receive unix:x.sock -o run", 2),
    "from-another": ("hsdiff import a.heapsnapshot --from hprof -o x.hs", 3),
    "info-of-database": ("hsdiff export -q d/demo-after.hs -o x.sqlite && hsdiff info x.sqlite; rm x.sqlite", 0),
    "info-of-salvaged": ("hsdiff salvage -q cut.hs -o part.hs; hsdiff info part.hs 2>/dev/null | tail -n 1; hsdiff info cut.hs 2>/dev/null | tail -n 1", 0),
    "table-of-no-csv": ("hsdiff --table roots d/demo-before.hs d/demo-before.hs | head -n 1; hsdiff top --table roots d/demo-before.hs --also csv=x.csv | head -n 1; rm x.csv", 0),
    "count-of-what": ("hsdiff receive unix:x.sock --count ten", 2),
    "one-input": ("hsdiff d/demo-before.hs", 2),
    "one-folder": ("hsdiff d", 2),
    "one-number": ("hsdiff 4121", 2),
    "word-of-others": ("hsdiff compare d/demo-before.hs d/demo-after.hs; hsdiff help histogram", 2),
    "word-of-nobody": ("hsdiff frobnicate d/demo-before.hs", 2),
    "process-by-option": ("hsdiff capture -p 4121; hsdiff capture --pid 4121", 2),
    "reverse-order": ("hsdiff d/demo-after.hs d/demo-before.hs | head -n 4", 0),
    "packed-by-others": ("printf '\\050\\265\\057\\375xxxxxxxxxxxxxxxxxxxxxxxx' >a.zst; hsdiff a.zst d/demo-after.hs", 3),
    "no-command": ("hsdiff frobnicate", 2),
    "near-command": ("hsdiff dif d/demo-before.hs d/demo-after.hs", 2),
    "near-file": ("cp d/demo-before.hs dif && hsdiff -q dif d/demo-after.hs | head -n 3", 0),
    "help-check-example": ("hsdiff help check | sed -n '/^  check:/,/until:/s/^  //p' >y.yml && hsdiff baseline -q d/demo-before.hs -o b.hs && hsdiff check -q --config y.yml b.hs d/demo-before.hs", 0),
    "man-check-example": ("hsdiff --generate man check | sed -n '/^.nf/,/^.fi/p'", 0),
    "four-dumps": ("hsdiff several.hprof several.hprof several.hprof --dump 1,2", 2),
    "bad-option": ("hsdiff --formt json a b", 2),
    "bad-option-letter": ("hsdiff -x a b", 2),
    "bad-option-of-command": ("hsdiff verify --top 3 d/demo-after.hs", 2),
    "bad-option-of-future": ("hsdiff a.hs b.hs --pdf x.pdf", 2),
    "bad-option-format": ("hsdiff d/demo-before.hs d/demo-after.hs --json", 2),
    "no-value": ("hsdiff a b --memory", 2),
    "flag-with-value": ("hsdiff a b --bytes=yes", 2),
    "bad-size": ("hsdiff --memory lots a b", 2),
    "bad-size-unit": ("hsdiff --memory 64Q a b", 2),
    "small-size": ("hsdiff --memory 1M a b", 2),
    "bad-format": ("hsdiff --format xml a b", 2),
    "bad-top": ("hsdiff --top 0 a b", 2),
    "bad-key": ("for key in Order Order: :id '' std::vector; do hsdiff --key \"$key\" a b || s=$?; done; exit $s", 2),
    "bad-key-hostile": ("hsdiff --key \"$(printf 'a\\033[31m\\n::error::')\" a b", 2),
    "key-twice": ("hsdiff -q --key Session:user --key=Session:name d/demo-before.hs d/demo-after.hs", 2),
    "key-idle": ("hsdiff --key Session:user --key Buffer:size d/demo-before.hs d/demo-after.hs -o r.txt && "
                 "hsdiff d/demo-before.hs d/demo-after.hs | cmp - r.txt", 0),
    "key-idle-quiet": ("hsdiff -q --key Session:user d/demo-before.hs d/demo-after.hs -o r.txt", 0),
    "key-no-value": ("hsdiff a b --key", 2),
    "key-of-top": ("hsdiff top --key Session:user d/demo-after.hs", 2),
    "summary-key": ("hsdiff --summary --key Session:user a b", 2),
    "bad-match": ("for how in ids Best count '' 1; do hsdiff --match \"$how\" a b || s=$?; done; exit $s", 2),
    "match-no-value": ("hsdiff a b --match", 2),
    "match-of-top": ("hsdiff top --match counts d/demo-after.hs", 2),
    "match-counts-key": ("hsdiff --match counts --key Session:user a b", 2),
    "match-counts-objects": ("hsdiff --match counts --objects o.csv a b", 2),
    "summary-match": ("for how in structure counts; do hsdiff --summary --match $how a b || s=$?; done; exit $s", 2),
    "bad-sort": ("hsdiff --sort size a b", 2),
    "bad-dump": ("hsdiff import a.hprof --dump x -o x.hs", 2),
    "bad-only": ("hsdiff dump d/demo-after.hs --only types,nonsense", 2),
    "bad-from": ("hsdiff import a.hprof --from elf -o x.hs", 2),
    "both-stdin": ("hsdiff - -", 2),
    "summary-objects": ("hsdiff --summary --objects o.csv a b", 2),
    "summary-tree": ("hsdiff --summary --tree a b", 2),
    "no-holders-table": ("hsdiff --no-holders --format csv --table holders a b", 2),
    "no-holders-sort": ("hsdiff --no-holders -s retained a b", 2),
    "csv-tree": ("hsdiff --format csv --tree a b", 2),
    "bad-table": ("hsdiff --format csv --table threads a b", 2),
    "import-nowhere": ("hsdiff import a.hprof", 2),
    "output-shared": ("hsdiff -q d/demo-before.hs d/demo-after.hs -o x --objects x; s=$?; ls x; exit $s", 2),
    "redact-shared": ("hsdiff redact d/demo-before.hs --key k -o x --report x; s=$?; ls x; exit $s", 2),
    "output-device": ("hsdiff -q d/demo-before.hs d/demo-after.hs -o /dev/null --objects /dev/null", 0),
    "import-pid": ("hsdiff import -q a.hprof --pid $$ -o pid.hs && hsdiff info pid.hs --format json | grep -c -e '\"pid\": '$$ -e '\"process\": \"sh'", 0),
    "import-pid-gone": ("hsdiff import a.hprof --pid 2147483647 -o x.hs; s=$?; ls x.hs; exit $s", 2),
    "import-pid-bad": ("hsdiff import a.hprof --pid 0 -o x.hs", 2),
    "receive-label": ("hsdiff receive unix:s.sock --label service=shop", 2),
    "salvage-nowhere": ("hsdiff salvage cut.hs", 2),
    "help-of-nothing": ("hsdiff help frobnicate", 2),
    "bad-generate": ("hsdiff --generate pdf", 2),
    "after-dashes": ("hsdiff -- --version x.hs", 3),
    # outputs
    "output": ("hsdiff -q d/demo-before.hs d/demo-after.hs -o r.txt && hsdiff -q d/demo-before.hs d/demo-after.hs | cmp - r.txt && stat -c %a r.txt", 0),
    "output-exists": ("echo kept > r.txt; hsdiff d/demo-before.hs d/demo-after.hs -o r.txt; s=$?; cat r.txt; exit $s", 2),
    "output-forced": ("echo gone > r.txt; hsdiff -q d/demo-before.hs d/demo-after.hs -o r.txt --force && head -1 r.txt", 0),
    "output-import-exists": ("echo kept > x.hs; hsdiff import a.hprof -o x.hs; s=$?; cat x.hs; exit $s", 2),
    "output-salvage-exists": ("echo kept > x.hs; hsdiff salvage cut.hs -o x.hs; s=$?; cat x.hs; exit $s", 2),
    "output-objects-exists": ("echo kept > o.csv; hsdiff -q d/demo-before.hs d/demo-after.hs --objects o.csv; s=$?; cat o.csv; exit $s", 2),
    "output-no-folder": ("hsdiff d/demo-before.hs d/demo-after.hs -o nowhere/r.txt", 4),
    "output-symlink": ("ln -s target r.txt; hsdiff d/demo-before.hs d/demo-after.hs -o r.txt; s=$?; ls target; exit $s", 2),
    "output-nothing-on-failure": ("hsdiff d/demo-before.hs cut.hs -o r.txt --objects o.csv; s=$?; ls r.txt o.csv; exit $s", 3),
    "temp-dir-missing": ("hsdiff --temp-dir nowhere a.hprof b.hprof", 4),
}

CONFIGURATIONS = {
    "rules.yml": """\
check:
  ignore: ['^Requ']
  min: 1 KiB
rules:
  - name: whole heap
    metric: total.bytes
    max_growth: [4 MiB, 400 %]
  - name: sessions are released
    type: Session
    metric: objects
    max_growth: 100
  - type: '*'
    each: true
    max_growth: 700 %
    level: warn
  - root: /^global/
    max_growth: 6 MiB
    level: warn
  - holder: global.sessions *
    metric: new.bytes
    max_growth: 16 MiB
  - name: what nobody asked for
    metric: metric:process.rss
    max_growth: 0
    level: off
""",
    "allow.yml": """\
rules:
  - name: no type grows
    type: '*'
    each: true
    max_growth: 400 KiB
allow:
  - {type: Buffer, reason: filled once, up_to: 6 MiB}
  - {type: 'Entry<*', reason: "of the same cache"}
  - {type: Session, reason: until they expire, until: 2027-03-31}
  - {root: nowhere, reason: it went}
""",
    "series.yml": """\
check:
  warmup: 1
rules:
  - name: no holder leaks
    holder: '*'
    max_growth: 0.5 % per round
  - name: sessions
    type: Session
    metric: objects
    max_growth: 300 per round
    level: warn
  - name: the heap
    metric: total.objects
    max_growth: 10000
""",
}

# Commands whose output is tried on a full disk, a closed descriptor and a reader that goes away: long ones of the demo, short ones of a small heap.
PRINTING = {
    "text": "hsdiff a.heapsnapshot b.heapsnapshot", "json": "hsdiff --format json d/demo-before.hs d/demo-after.hs",
    "csv": "hsdiff --format csv a.heapsnapshot b.heapsnapshot", "plain": "hsdiff --plain a.heapsnapshot b.heapsnapshot",
    "tree": "hsdiff --format json --tree d/demo-before.hs d/demo-after.hs",
    "csv-holders": "hsdiff --format csv --table holders a.heapsnapshot b.heapsnapshot",
    "top": "hsdiff top b.heapsnapshot", "top-json": "hsdiff top --format json b.heapsnapshot",
    "top-csv": "hsdiff top --format csv b.heapsnapshot", "top-plain": "hsdiff top --plain b.heapsnapshot",
    "top-retained": "hsdiff top -q d/demo-after.hs -o r.txt --retained -", "paths": "hsdiff paths b.heapsnapshot Session",
    "paths-json": "hsdiff paths --format json b.heapsnapshot Session", "paths-csv": "hsdiff paths --format csv b.heapsnapshot Session",
    "paths-plain": "hsdiff paths --plain b.heapsnapshot Session",
    "summary": "hsdiff --summary d/demo-before.hs d/demo-after.hs", "info": "hsdiff info d/demo-after.hs",
    "info-json": "hsdiff info --format json d/demo-after.hs", "dump": "hsdiff dump d/demo-after.hs",
    "verify": "hsdiff verify d/demo-after.hs", "import": "hsdiff import a.hprof -o -", "salvage": "hsdiff salvage cut.hs -o -",
    "objects": "hsdiff -q d/demo-before.hs d/demo-after.hs -o r.txt --objects -", "help": "hsdiff --help",
    "help-command": "hsdiff help diff", "version": "hsdiff --version", "no-arguments": "hsdiff", "demo": "hsdiff demo",
    "man": "hsdiff --generate man", "complete-bash": "hsdiff --generate complete-bash",
    "complete-zsh": "hsdiff --generate complete-zsh", "complete-fish": "hsdiff --generate complete-fish",
    "series-json": "hsdiff series -q --format json a.heapsnapshot b.heapsnapshot", "check-junit": "hsdiff check -q --format junit a.heapsnapshot b.heapsnapshot",
    "baseline": "hsdiff baseline a.heapsnapshot -o -", "check-init": "hsdiff check --init a.heapsnapshot b.heapsnapshot -o -",
}

SCREENS = [(screen, width) for screen in ("shop", "moving", "partial", "summary", "same", "holders", "scattered", "shrunk", "roots", "tree",
                                          "moving-holders", "moving-structure", "address") for width in (0, 80)]


def make_inputs(folder, hsdiff):
    """The inputs that every case finds in its folder."""
    def path(name):
        return os.path.join(folder, name)

    os.mkdir(path("d"))
    run = subprocess.run([hsdiff, "demo", "-q", "-o", path("d")], capture_output=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"hsdiff demo failed: {run.stderr.decode()}")
    for name, sessions in (("a", 20), ("b", 220)):
        inputs.v8_snapshot(path(name + ".heapsnapshot"), sessions)
        inputs.jvm_dump(path(name + ".hprof"), sessions)
    with open(path("d/demo-after.hs"), "rb") as file:
        capture = bytearray(file.read())
    inputs.jvm_dump(path("several.hprof"), 20, 220)
    write(path("cut.hs"), capture[:len(capture) * 2 // 3])
    capture[len(capture) // 2] ^= 0x10
    write(path("flipped.hs"), capture)
    capture[8] += 1
    write(path("header.hs"), capture)
    for name in ("heapsnapshot", "hprof"):
        with open(path("b." + name), "rb") as file:
            whole = file.read()
        write(path("cut." + name), whole[:len(whole) // 2])
    for i, (growing, full) in enumerate(((20, 20), (420, 1000), (820, 1004), (1220, 1002), (1620, 1004))):
        inputs.v8_snapshot(path(f"grow{i}.heapsnapshot"), growing)
        inputs.v8_snapshot(path(f"full{i}.heapsnapshot"), full)
        inputs.v8_snapshot(path(f"both{i}.heapsnapshot"), growing, ("byId", "byName"))
    with open(path("full4.heapsnapshot"), "ab") as file:
        file.write(b"\n")  # as large as full2, and another capture
    for name, text in CONFIGURATIONS.items():
        write(path(name), text.encode())
    write(path("empty.hs"), b"")
    write(path("text.txt"), b"This is no heap.\n")
    write(path("image.png"), b"\x89PNG\r\n\x1a\n" + bytes(64))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


# What differs from run to run, or with the compressor: times, versions, places in a file that was compressed.
VARYING = (
    (r"read in [\d.]+ s", "read in N s"),
    (r"hsdiff \d+\.\d+\.\d+", "hsdiff VERSION"),
    (r"\bbyte [\d,]+", "byte N"),
    (r"\bblock \d+", "block N"),
    (r"[\d,]+ blocks\b", "N blocks"),
    (r"^(blocks +)\d+,", r"\1N,"),
    (r"[\d,.]+ (?:KiB|B) (on disk|written|skipped)", r"N KiB \1"),
    (r"[\d,]+ records, [\d.]+ KiB read", "N records, N KiB read"),
    (r'"(file_bytes|blocks)": \d+', r'"\1": N'),
    (r'(digest"?:? +"?|before |after |\d: )[0-9a-f]{32}\b', r"\1DIGEST"),
)


def normalise(text, folder):
    """Takes out what differs from run to run."""
    text = text.replace(folder, "FOLDER")
    for pattern, fixed in VARYING:
        text = re.sub(pattern, fixed, text, flags=re.MULTILINE)
    return text


class Runner:
    """Runs cases in fresh copies of one folder of inputs."""

    def __init__(self, hsdiff):
        self.base = tempfile.mkdtemp(prefix="hsdiff-cli-")
        self.bin = os.path.join(self.base, "bin")
        self.inputs = os.path.join(self.base, "inputs")
        os.mkdir(self.bin)
        os.mkdir(self.inputs)
        os.chmod(self.base, 0o755)
        os.symlink(os.path.abspath(hsdiff), os.path.join(self.bin, "hsdiff"))
        make_inputs(self.inputs, hsdiff)

    def run(self, line, umask=0o022):
        """(exit status, stdout, stderr, the folder it ran in)"""
        folder = tempfile.mkdtemp(dir=self.base)
        os.chmod(folder, 0o755)
        where = os.path.join(folder, "w")
        shutil.copytree(self.inputs, where)
        environment = {"PATH": self.bin + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "HOME": where}
        environment.update({key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")})
        result = subprocess.run(["sh", "-c", line], cwd=where, env=environment, capture_output=True, timeout=120,
                                stdin=subprocess.DEVNULL, check=False, umask=umask)
        return (result.returncode, normalise(result.stdout.decode("utf-8"), where),
                normalise(result.stderr.decode("utf-8"), where), where)

    def close(self):
        """Removes everything."""
        shutil.rmtree(self.base, ignore_errors=True)


def compare(name, stream, text, rewrite):
    """Problems of one stream against its file; no file means: nothing is printed."""
    path = os.path.join(EXPECTED, f"{name}.{stream}")
    if rewrite:
        if text:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        elif os.path.exists(path):
            os.remove(path)
        return []
    wanted = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8", newline="") as file:
            wanted = file.read()
    if text == wanted:
        return []
    return [f"{name}: {stream} differs\n--- expected\n{wanted}--- got\n{text}---"]


def check_case(runner, name, rewrite):
    """One row of CASES."""
    line, wanted = CASES[name]
    status, out, err, where = runner.run(line)
    problems = [] if status == wanted else [f"{name}: exit status {status}, expected {wanted}"]
    problems += compare(name, "out", out, rewrite) + compare(name, "err", err, rewrite)
    problems += [f"{name}: {left} is left" for left in os.listdir(where) if re.search(r"\.[A-Za-z0-9]{6}$", left)]
    return problems


def check_printing(runner, name):
    """Errors of standard output are errors; a reader that goes away ends it like any other filter."""
    problems = []
    line = PRINTING[name]
    status, _, err, _ = runner.run(line + " > /dev/full")
    if status != 4 or "standard output" not in err or "No space left" not in err:
        problems.append(f"{name} > /dev/full: exit status {status}: {err}")
    status, _, err, _ = runner.run(line + " >&-")
    if status != 4 or "standard output" not in err:
        problems.append(f"{name} >&-: exit status {status}: {err}")
    status, _, err, _ = runner.run(f"bash -c 'set -o pipefail; {line} 2>err.txt | head -1 >/dev/null'")
    if status not in (0, 141) and not (status == 3 and name == "salvage"):
        problems.append(f"{name} | head -1: exit status {status}: {err}")
    return problems


def check_screen(sample, screen, width, rewrite):
    """A screen of a hand-built diff."""
    result = subprocess.run([sample, screen, str(width)], capture_output=True, check=False)
    name = f"screen-{screen}-{width or 'wide'}"
    problems = [] if result.returncode == 0 else [f"{name}: exit status {result.returncode}: {result.stderr.decode()}"]
    return problems + compare(name, "out", result.stdout.decode(), rewrite)


def check_names(runner):
    """Hostile names of types, fields and roots of a real input: no command prints a byte that a terminal obeys."""
    problems = []
    names = [name.decode() for name in test_names.NAMES if test_names.is_utf8(name) and len(name) < 2000]
    for path in ("a.heapsnapshot", "b.heapsnapshot"):
        with open(os.path.join(runner.inputs, path), encoding="utf-8") as file:
            snapshot = json.load(file)
        first = len(snapshot["strings"])
        snapshot["strings"] += names
        count = (len(snapshot["nodes"]) // 7 - 4) // 2
        for i in range(count):
            snapshot["nodes"][7 * (4 + 2 * i) + 1] = first + i % len(names)
            snapshot["edges"][-2 * 3 * count + 6 * i + 1] = first + i % len(names)
        write(os.path.join(runner.inputs, "hostile-" + path), json.dumps(snapshot).encode())
    pair = "hostile-a.heapsnapshot hostile-b.heapsnapshot"
    for line in (f"hsdiff --top all {pair}", f"hsdiff --format json {pair}", f"hsdiff --format csv {pair}", f"hsdiff --plain {pair}",
                 f"hsdiff -q {pair} --objects - -o r.txt", "hsdiff info hostile-a.heapsnapshot", "hsdiff dump hostile-b.heapsnapshot",
                 f"hsdiff -v --top all --format csv --table roots {pair}"):
        status, out, err, _ = runner.run(line)
        if status != 0:
            problems.append(f"{line}: exit status {status}: {err}")
        for stream in (out, err):
            test_names.check_harmless(line, stream.encode(), allowed="\r\t")
    _, out, _, _ = runner.run(f"hsdiff --format json {pair}")
    shown = {row["type"] for row in json.loads(out)["types"]}
    missing = [name for name in names[:200] if name and not name.startswith("<") and name not in shown]
    return problems + ([f"names that did not come back: {missing[:5]!r}"] if missing else [])


def check_modes(runner):
    """Files are private from birth, whatever the umask."""
    line = ("hsdiff -q import a.hprof -o a.hs && hsdiff -q d/demo-before.hs d/demo-after.hs -o r.txt --objects o.csv && "
            "hsdiff -q salvage cut.hs -o s.hs && mkdir e && hsdiff -q demo -o e > /dev/null && hsdiff info a.hs -o i.txt")
    problems = []
    for umask in (0o000, 0o022, 0o777):
        status, _, err, where = runner.run("umask %03o; mkdir() { (umask 022; command mkdir \"$@\"); }; %s" % (umask, line))
        if status != 0:
            problems.append(f"modes: exit status {status} with umask {umask:03o}: {err}")
            continue
        for name in ("a.hs", "r.txt", "o.csv", "s.hs", "e/demo-before.hs", "e/demo-after.hs", "i.txt"):
            mode = stat.S_IMODE(os.stat(os.path.join(where, name)).st_mode)
            if mode & ~0o600:
                problems.append(f"modes: {name} has mode {mode:03o} with umask {umask:03o}")
    return problems


def check_locales(runner):
    """The same bytes in every locale, for any memory and number of threads."""
    problems, seen = [], set()
    for locale in ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.ISO-8859-9"):
        for options in ("", "--memory 16M --threads 1"):
            status, out, err, _ = runner.run(f"LC_ALL={locale} hsdiff -q {options} a.heapsnapshot b.heapsnapshot")
            seen.add(out)
            if status != 0:
                problems.append(f"locale {locale}: exit status {status}: {err}")
    return problems + ([f"{len(seen)} different outputs in different locales"] if len(seen) != 1 else [])


def check_unreadable(runner):
    """A file that this user may not read, tried as somebody else where this user may read everything."""
    as_somebody = "setpriv --reuid 65534 --clear-groups " if os.getuid() == 0 else ""
    if runner.run(as_somebody + "hsdiff --version")[0] != 0:
        return []
    status, _, err, _ = runner.run(f"chmod 0 a.hprof; {as_somebody}hsdiff --temp-dir /tmp a.hprof b.hprof")
    good = status == 3 and err.startswith("hsdiff: a.hprof cannot be opened: Permission denied.\n")
    return [] if good else [f"unreadable: exit status {status}: {err}"]


def main(arguments):
    rewrite = "--rewrite" in arguments
    word = arguments[arguments.index("-k") + 1] if "-k" in arguments else ""
    programs = [a for i, a in enumerate(arguments) if not a.startswith("-") and (i == 0 or arguments[i - 1] != "-k")]
    os.makedirs(EXPECTED, exist_ok=True)
    runner = Runner(programs[0])
    problems, count = [], 0
    try:
        for name in CASES:
            if word in name:
                problems += check_case(runner, name, rewrite)
                count += 1
        for name in PRINTING:
            if word in name:
                problems += check_printing(runner, name)
                count += 3
        if not word:
            problems += check_modes(runner) + check_locales(runner) + check_unreadable(runner) + check_names(runner)
            count += 21
        for screen, width in SCREENS if len(programs) > 1 else ():
            if word in screen:
                problems += check_screen(programs[1], screen, width, rewrite)
                count += 1
    finally:
        runner.close()
    for problem in problems:
        print(problem)
    print(f"{count} runs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
