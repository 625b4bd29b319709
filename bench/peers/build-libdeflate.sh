#!/bin/sh
# Builds the libdeflate driver: sh build-libdeflate.sh DIR makes DIR/libdeflate.
# Needs a C compiler and libdeflate (Debian: gcc, libdeflate-dev); CC, CFLAGS, LDFLAGS count.
# Exits with 77 and a line that says why where something is missing.
. "$(dirname "$0")/build-c.sh"
compile libdeflate libdeflate.h -ldeflate
