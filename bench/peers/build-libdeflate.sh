#!/bin/sh
# Builds the libdeflate driver: sh build-libdeflate.sh DIR makes DIR/libdeflate.
# Needs a C compiler and libdeflate (Debian: gcc, libdeflate-dev); CC, CFLAGS, LDFLAGS count.
# Exits with 77 and a line that says why where something is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: sh build-libdeflate.sh DIR}
cc=${CC:-cc}

if ! command -v "${cc%% *}" >/dev/null 2>&1; then
	echo "no C compiler ($cc)"
	exit 77
fi
# CC and the flags may be several words.
if ! echo '#include <libdeflate.h>' | $cc ${CFLAGS:-} -E - >/dev/null 2>&1; then
	echo "no libdeflate.h"
	exit 77
fi
mkdir -p "$out"
$cc ${CFLAGS:--O2} -o "$out/libdeflate" "$here/libdeflate.c" ${LDFLAGS:-} -ldeflate
