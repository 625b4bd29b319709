#!/bin/sh
# Compiles the readers in Java: sh build-java.sh DIR makes a class of each .java file here.
# Needs a JDK of version 11 or newer: that in JAVA_HOME, else the one on PATH.
# Exits with 77 and a line that says why where there is none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: sh build-java.sh DIR}
javac=${JAVA_HOME:+$JAVA_HOME/bin/}javac

if ! command -v "$javac" >/dev/null 2>&1; then
	echo "no javac${JAVA_HOME:+ in JAVA_HOME}"
	exit 77
fi
mkdir -p "$out"
"$javac" --release 11 -d "$out" "$here"/*.java
