#!/bin/sh
# Builds the extractor that uses fastzip: sh build-go.sh DIR makes DIR/fastzip.
# Needs Go, and the modules of go/go.mod.txt from Go's cache or its module proxy.
# Exits with 77 and a line that says why where something is missing.
# To change a version: put the three files of go/ together as this does, go get, go mod tidy, and back.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: sh build-go.sh DIR}

if ! command -v go >/dev/null 2>&1; then
	echo "no go"
	exit 77
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
# fastzip.go says why the files of the module have other names.
module=$(mktemp -d)
trap 'rm -rf "$module"' EXIT
cp "$here/go/fastzip.go" "$module/fastzip.go"
cp "$here/go/go.mod.txt" "$module/go.mod"
cp "$here/go/go.sum.txt" "$module/go.sum"
export GOWORK=off
if ! said=$(go -C "$module" mod download 2>&1); then
	echo "no Go modules: $(echo "$said" | tail -n 1)"
	exit 77
fi
# A file that is named is built whatever its build tag says.
CGO_ENABLED=0 go build -C "$module" -trimpath -o "$out/fastzip$(go env GOEXE)" fastzip.go
