"""Writes a Windows DLL that Go programs need and Wine before 8.9 lacks.

bcryptprimitives.dll with its one export that Go uses, ProcessPrng, which it forwards to the
function of the same kind that every Wine has. There is no code in it: a forwarder is a string in
the export directory (PE Format, "The .edata Section").

usage: bcryptprimitives.py FILE
"""

import struct
import sys

RVA, RAW, ALIGN = 0x1000, 0x200, 0x200


def main(path):
    # The export directory, its tables and its strings, all in one section.
    dll, name, target = b"bcryptprimitives.dll\0", b"ProcessPrng\0", b"advapi32.SystemFunction036\0"
    tables = RVA + 40
    strings = tables + 4 + 4 + 2
    dll_at, name_at, target_at = strings, strings + len(dll), strings + len(dll) + len(name)
    edata = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, dll_at, 1, 1, 1, tables, tables + 4, tables + 8)
    edata += struct.pack("<IIH", target_at, name_at, 0) + dll + name + target
    size = len(edata)
    section = edata.ljust(ALIGN, b"\0")

    dos = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    coff = b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 240, 0x2022)
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, 0, ALIGN, 0, 0, RVA)
    optional += struct.pack("<QII", 0x180000000, 0x1000, ALIGN)
    optional += struct.pack("<HHHHHHIIIIHH", 6, 0, 0, 0, 6, 0, 0, 0x2000, RAW, 0, 3, 0x160)
    optional += struct.pack("<QQQQII", 0x100000, 0x1000, 0x100000, 0x1000, 0, 16)
    optional += struct.pack("<II", RVA, size) + b"\0" * 15 * 8
    header = struct.pack("<8sIIIIIIHHI", b".edata", size, RVA, ALIGN, RAW, 0, 0, 0, 0, 0x40000040)
    with open(path, "wb") as f:
        f.write((dos + coff + optional + header).ljust(RAW, b"\0") + section)


main(sys.argv[1])
