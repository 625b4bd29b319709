"""Reads entries of a jar with zipfile, which checks each CRC; that cannot be switched off.

    python3 python.py load SUFFIX PASSES JAR
    python3 python.py version

Takes all entries whose names end in SUFFIX and are no directories. Each is read into new memory:
zipfile has no call that decodes into a buffer, its readinto copies. Prints a line for each pass:
seconds, entries, bytes. Opening and closing the jar are within the clock.
"""

import platform
import sys
import time
import zipfile
import zlib


def read(suffix, jar):
    entries = size = 0
    with zipfile.ZipFile(jar) as z:
        for info in z.infolist():
            if info.is_dir() or not info.filename.endswith(suffix):
                continue
            data = z.read(info)
            if len(data) != info.file_size:
                raise zipfile.BadZipFile(info.filename + " is short")
            entries += 1
            size += len(data)
    return entries, size


def main(args):
    if args == ["version"]:
        print("Python zipfile", platform.python_version(), f"(zlib {zlib.ZLIB_RUNTIME_VERSION})")
        return
    if len(args) != 4 or args[0] != "load":
        sys.exit("usage: python3 python.py load SUFFIX PASSES JAR")
    for _ in range(int(args[2])):
        start = time.perf_counter()
        entries, size = read(args[1], args[3])
        print(f"{time.perf_counter() - start:.6f} {entries} {size}", flush=True)


main(sys.argv[1:])
