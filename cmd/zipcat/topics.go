package main

import (
	"strings"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile/jar"
)

// topics are help topics: "zipcat help TOPIC". The first line of each is a title.
func topics() []*cobra.Command { return []*cobra.Command{exitCodes(), jsonFields(), archiveNames()} }

func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: `Exit codes:

  0  done
  1  an entry is damaged or refused; diff: they differ; verify: the jar is bad
  2  wrong usage
  3  an archive cannot be opened
  4  nothing found, no such inner archive, no manifest; verify: unsigned
  5  a password is missing or wrong
  6  the output cannot be written, or the address of serve is taken

Where several apply, it is the first of 2, 6, 3, 1, 5, 4. Of find and grep it is 0
when something was found, whatever else could not be read.`,
	}
}

func jsonFields() *cobra.Command {
	return &cobra.Command{
		Use:   "json",
		Short: "What --json prints",
		Long: `JSON, one object a line but where it says "one object":

  ls        name, raw_name (base64, where the stored bytes are others), size,
            compressed_size, crc32, method, mode, modified, modified_without_zone
            (true where modified is a wall clock's, written as if it were UTC),
            dir, target (of a link), encrypted, encryption (zipcrypto, aes-128,
            aes-192, aes-256, strong), index, header_offset, comment, findings
  find      archive, and what ls has but findings
  find --dup
            name, contents (same, different, not compared), entries (archive, name)
  grep      archive, name, and line, text (length where text is a part of the
            line; context, true where it stands around a match), or count, or binary
  test      name, status (ok, error), error (format, data, checksum, size, method,
            password, limit, overlap, changed, io), message, sha256; then summary
            (entries, ok, errors, findings, backend). Of an archive that cannot be
            opened open_error (none, truncated, format, split, limit, io) and
            message. With several archives archive too
  info      one object: archive, kind, size, backend, prefix, directory, end_record,
            comment, contents, methods, largest, limits, findings and, of jars, jar.
            Of entries what ls has, data_offset, directory_header, local_header
  diff      change (added, removed, changed, metadata, order), name, old, new
  manifest  one object: main, sections
  verify    one object: state (signed, unsigned, bad), trusted (it is signed, and
            by certificates that were checked against --roots), signers, entries,
            findings; archives that cannot be opened and several as with test

Findings are kind, entry, offset and text; those of ls are kinds alone, those of
verify a kind and a text in one string. Sizes and offsets are in bytes, offsets from the start of the file. What is not known or
empty may be left out. More fields may come.`,
	}
}

func archiveNames() *cobra.Command {
	var list strings.Builder
	width := 0
	for _, ext := range jar.ArchiveExtensions() {
		if width+len(ext)+2 > 76 {
			list.WriteString("\n  ")
			width = 0
		}
		list.WriteString("." + ext + " ")
		width += len(ext) + 2
	}
	return &cobra.Command{
		Use:   "archive-names",
		Short: "Which names are taken for those of archives",
		Long: `Names of archives, in any letter case:

  ` + strings.ReplaceAll(strings.TrimRight(list.String(), " "), " \n", "\n") + `

Of a directory, and of an archive that others are in, these are looked into; of a
directory also .zip.001 and the like, the first of parts. A file that is named on the
command line is opened whatever its name.`,
	}
}
