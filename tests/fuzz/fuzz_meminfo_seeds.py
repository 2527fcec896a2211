#!/usr/bin/env python3
"""Seeds of fuzz_meminfo: dumps of php-meminfo, as it writes them and otherwise. Usage: fuzz_meminfo_seeds.py FOLDER"""
import json
import pathlib
import sys


def item(address, kind, size=16, symbol=None, frame=None, of=None, children=None):
    """As the extension prints one, but for its last line."""
    text = f'    "{address:#x}" : {{\n        "type" : "{kind}",\n        "size" : "{size}",\n'
    text += f'        "symbol_name" : "{symbol}",\n        "is_root" : true,\n        "frame" : "{frame}"\n' if symbol else '        "is_root" : false\n'
    if of:
        text += f',\n        "class" : "{of}",\n        "object_handle" : "{address % 100}",\n'
    if children is not None:
        rows = ",\n".join(f'            "{key}":"{target:#x}"' for key, target in children.items())
        text += ("" if of else ",\n") + f'        "children" : {{\n{rows}\n        }}\n'
    return text


HEAD = '{\n  "header" : {\n    "memory_usage" : 446576,\n    "memory_usage_real" : 2097152,\n    "peak_memory_usage" : 465176,\n    "peak_memory_usage_real" : 2097152\n  },\n'


def dump(items):
    return HEAD + '  "items": {\n' + "\n    },\n".join(items) + "\n    }\n}\n}\n"


ITEMS = [
    item(0x7f11f1814210, "string", 22, "path", "Shop\\\\dump()"), item(0x7f11f1858200, "array", 72, "_GET", "<GLOBAL>", children={}),
    item(0x7f11f1803ae0, "array", 72, "Shop\\\\Cache::sessions", "<CLASS_STATIC_MEMBER>", children={"user-1": 0x7f11f1880000, "0": 0x7f11f1880060, "-4": 0x7f11f1880060}),
    item(0x7f11f1880000, "object", 72, of="Shop\\\\Session", children={"cart": 0x7f11f1885ce8, "user\\\"\\u0041": 0x7f11f1885cf8}),
    item(0x7f11f1885ce8, "array", 72, children={"a": 0x7f11f1885cf8}), item(0x7f11f1885cf8, "int"), item(0x7f11f1880060, "object", 72, of="Closure"),
    item(0x7f11f1803af0, "null", 16, "*::hits", "<CLASS_STATIC_MEMBER>"),
]


def main():
    folder = pathlib.Path(sys.argv[1])
    whole = dump(ITEMS)
    packed = json.dumps(json.loads(dump(ITEMS[:6]).replace("\\\"\\u0041", "")), sort_keys=True)
    keys = dump([item(0x100 + i, "array", 72, f"v{i}", "<GLOBAL>", children={"name": 0x9000, "other name": 0x9001}) for i in range(17)])
    seeds = {"whole": whole, "sorted": packed, "cut": whole[:-300] + "1", "keys": keys, "none": HEAD + '  "items": {\n\n    }\n}\n}\n', "values": whole + "\n\t\x08", "header": HEAD,
             "odd": whole.replace('"16"', "16").replace("0x7f", "00007F"), "reli": json.dumps(json.loads(packed), separators=(",", ":")).replace('"is_root"', '"#reli_node_id":7,"is_root"'), "twice": whole[:-3] + ', "items":{"1":{"type":"int"}}}'}
    for name, text in seeds.items():
        (folder / name).write_text(text)


main()
