#!/usr/bin/env python3
"""Writes width_table.h: which characters take two columns of a terminal and which take none.

usage: width_table.py > width_table.h
From Python's own Unicode data. Wide: East Asian Width W and F. None: nonspacing and enclosing marks, format characters
and the vowels and final consonants that join a Hangul syllable. Unassigned characters between two of a kind join them.
"""
import sys
import unicodedata

WIDE_PLANES = ((0x20000, 0x2FFFD), (0x30000, 0x3FFFD))


def width(code):
    char = chr(code)
    if any(low <= code <= high for low, high in WIDE_PLANES):
        return 2
    if 0x1160 <= code <= 0x11FF or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0 if code != 0xAD else 1
    is_assigned = unicodedata.category(char) != "Cn"
    return 2 if is_assigned and unicodedata.east_asian_width(char) in "WF" else 1


def ranges(wanted):
    found, is_open = [], False
    for code in range(0x80, 0x110000):
        if width(code) == wanted:
            if is_open:
                found[-1][1] = code
            else:
                found.append([code, code])
            is_open = True
        elif unicodedata.category(chr(code)) != "Cn":
            is_open = False
    return found


def write(name, pairs):
    print(f"static const hsd_width_range {name}[] = {{")
    for i in range(0, len(pairs), 4):
        print("    " + " ".join(f"{{0x{low:04X}, 0x{high:04X}}}," for low, high in pairs[i:i + 4]))
    print("};")


def main():
    print("/*")
    print(" * Characters that take two columns of a terminal, and those that take none, from Unicode "
          f"{unicodedata.unidata_version}.")
    print(" * Written by width_table.py; read by width.c alone.")
    print(" */")
    print("#ifndef HSD_REPORT_WIDTH_TABLE_H\n#define HSD_REPORT_WIDTH_TABLE_H\n\n#include <stdint.h>\n")
    print("typedef struct hsd_width_range { uint32_t first, last; } hsd_width_range;\n")
    write("wide_characters", ranges(2))
    print()
    write("empty_characters", ranges(0))
    print("\n#endif")
    return 0


if __name__ == "__main__":
    sys.exit(main())
