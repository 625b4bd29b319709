#!/bin/sh
# Builds the zlib driver: sh build-zlib.sh DIR makes DIR/zlib.
# Needs a C compiler and zlib (Debian: gcc, zlib1g-dev); CC, CFLAGS, LDFLAGS count.
# Exits with 77 and a line that says why where something is missing.
. "$(dirname "$0")/build-c.sh"
compile zlib zlib.h -lz
