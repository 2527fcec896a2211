#!/usr/bin/env python3
"""Seeds of fuzz_sourcemap: scripts with their maps, as esbuild, tsc and terser write them. Usage: fuzz_sourcemap_seeds.py FOLDER"""
import pathlib
import sys

BUNDLE = """"use strict";var s=class{constructor(r){this.key=r}key},n=new Map;function o(t){n.set(t,new s(t))}setInterval(()=>o("a"),1e3);
//# sourceMappingURL=app.js.map
"""
BUNDLE_MAP = """{"version":3,"sources":["../src/cache.ts","../src/main.ts"],"mappings":"aAAO,IAAMA,EAAN,KAAY,CACjB,YAAmBC,EAAa,CAAb,SAAAA,CAAc,CAAd,GACrB,EACaC,EAAW,IAAI,ICF5B,SAASC,EAAMC,EAAc,CAC3BC,EAAS,IAAID,EAAM,IAAIE,EAAMF,CAAI,CAAC,CACpC,CACA,YAAY,IAAMD,EAAM,GAAG,EAAG,GAAI","names":["Entry","key","sessions","admit","user","sessions","Entry"]}"""
WORDS = """#!/usr/bin/env node
const {a, b: c = 1, ...d} = require('e'), [f] = [/[/"]/g.exec(`x${a + `${b}`}`)];
class g extends (class {}) { static #a = 1; static { var b; } async *c(d, {e}) { for (const f of d) yield f / 2 / 1 } }
let e = async ({a}) => a, h = b => { if (b) /}/.test(b); else c++ / 2; };
try { label: do { switch (a) { case 1: default: } } while (0) } catch (f) { /* } */ } // {
export default function* () {}
"""
INDEX_MAP = """{"version":3,"file":"x","sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sourceRoot":"webpack://shop/",
"sources":["./a.ts",null],"sourcesContent":["\\u007b"],"names":["\\u0061"],"mappings":"AAAAA;AACA,C,CCAA"}},{"offset":{"line":2,"column":4},"map":{"mappings":";;A",
"sources":[],"names":[]}}]}"""
ODD = ["", "{}", '{"mappings":"', '{"mappings":"gggggggB"}', '{"mappings":"D"}', '{"sections":[{"map":{}}]}', '{"mappings":"AAAA,AA"}',
       '{"sections":[{"offset":{"line":9},"map":{}},{"offset":{"line":1},"map":{}}]}']


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pairs = [(BUNDLE, BUNDLE_MAP), (WORDS, INDEX_MAP), (WORDS, BUNDLE_MAP), ("((((}]`${{", INDEX_MAP)] + [(BUNDLE, odd) for odd in ODD]
    for number, (script, text) in enumerate(pairs):
        (folder / f"pair{number}").write_bytes(script.encode() + b"\0" + text.encode())


main()
