# What the scripts that build the readers in C share; they read it with ".". It sets here, the
# directory of the sources, out, that of the programs, and cc. CC, CFLAGS and LDFLAGS count.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: sh $(basename "$0") DIR}
cc=${CC:-cc}

# compile NAME HEADER FLAG... makes $out/NAME of NAME.c. It ends the script with 77 and a line
# that says why where the compiler or the header is missing.
compile() {
	name=$1 header=$2
	shift 2
	if ! command -v "${cc%% *}" >/dev/null 2>&1; then
		echo "no C compiler ($cc)"
		exit 77
	fi
	# CC and the flags may be several words.
	if ! echo "#include <$header>" | $cc ${CFLAGS:-} -E - >/dev/null 2>&1; then
		echo "no $header"
		exit 77
	fi
	mkdir -p "$out"
	$cc ${CFLAGS:--O2} -o "$out/$name" "$here/$name.c" ${LDFLAGS:-} "$@"
}
