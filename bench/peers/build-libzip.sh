#!/bin/sh
# Builds the libzip reader: sh build-libzip.sh DIR makes DIR/libzip.
# Needs a C compiler and libzip (Debian: gcc, libzip-dev); CC, CFLAGS, LDFLAGS count.
# Exits with 77 and a line that says why where something is missing.
. "$(dirname "$0")/build-c.sh"
compile libzip zip.h -lzip
