#!/bin/sh
# Builds the minizip reader: sh build-minizip.sh DIR makes DIR/minizip.
# Needs a C compiler and classic minizip (Debian: gcc, libminizip-dev, zlib1g-dev; minizip-ng is
# not packaged there); CC, CFLAGS, LDFLAGS count, and pkg-config tells the version.
# Exits with 77 and a line that says why where something is missing.
. "$(dirname "$0")/build-c.sh"
version=$(pkg-config --modversion minizip 2>/dev/null) || version='of unknown version'
compile minizip minizip/unzip.h "-DVERSION=\"$version\"" -lminizip -lz
