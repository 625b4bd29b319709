package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// habits are flags of unzip, zipinfo, jar, bsdtar and 7z that are spelled another way here, by the
// command that is tried, "" for none.
func habits() map[string]map[string]string {
	return map[string]map[string]string{
		"x": {
			"-d": "-C DIR unpacks into DIR", "-o": "-f overwrites existing files, -C DIR unpacks into DIR", "-u": "--newer overwrites older files",
			"-p": "--password WORD; zipcat cat ARCHIVE PATTERN... prints to standard output", "-l": "zipcat ls -l ARCHIVE lists", "-t": "zipcat test ARCHIVE tests",
			"-P": "--password WORD, or --password-file FILE", "-k": "-n keeps existing files",
		},
		"ls": {"-1": "names alone, one a line, are what ls prints", "-v": "zipcat info ARCHIVE NAME prints every field", "-t": "--sort time", "-S": "--sort size", "-r": "--reverse", "-s": "zipcat info ARCHIVE NAME prints every field", "-O": "--charset LABEL"},
		"grep": {
			"-x": "-e '^(?:PATTERN)$' matches whole lines", "-P": "patterns are regular expressions as Go and RE2 have them",
			"-f": "-e PATTERN is repeated for more",
		},
		"test": {"-P": "--password WORD, or --password-file FILE"},
		"cat":  {"-P": "--password WORD, or --password-file FILE"},
		"": {
			"-l": "zipcat ls -l ARCHIVE lists", "-t": "zipcat ls ARCHIVE lists, zipcat test ARCHIVE tests", "-p": "zipcat cat ARCHIVE PATTERN... prints to standard output",
			"-d": "zipcat x -C DIR ARCHIVE unpacks into DIR", "-o": "zipcat x -f ARCHIVE overwrites", "-v": "zipcat ls -l ARCHIVE lists, zipcat info ARCHIVE describes",
			"-Z": "zipcat ls ARCHIVE lists names, zipcat info ARCHIVE NAME every field", "-x": "zipcat x ARCHIVE unpacks", "-j": "zipcat x -j ARCHIVE",
		},
	}
}

// commandHabits are commands of 7z, jar and others, by what they are here.
func commandHabits() map[string][]string {
	return map[string][]string{
		"zipcat ls ARCHIVE lists":                                       {"l", "list", "t", "tf", "tvf", "tree", "dir", "vdir", "ll", "contents"},
		"zipcat x ARCHIVE unpacks":                                      {"e", "xf", "xvf", "extract", "unpack", "unzip", "get"},
		"zipcat cat ARCHIVE PATTERN... prints to standard output":       {"p", "print", "show", "type", "view"},
		"zipcat test ARCHIVE tests, with --json it prints SHA-256 sums": {"check", "h", "hash", "sha256", "validate"},
		"zipcat info ARCHIVE describes":                                 {"i", "stat", "size", "describe"},
		"zipcat reads archives and writes none":                         {"a", "c", "cf", "add", "create", "d", "delete", "u", "update", "zip", "rn"},
		"zipcat --version":                                              {"version"},
	}
}

// commandHabit returns what may have been meant by a word that is no command.
func commandHabit(word string) string {
	for hint, words := range commandHabits() {
		if slices.Contains(words, word) {
			return hint
		}
	}
	if st, err := os.Stat(word); err == nil && st.Mode().IsRegular() {
		return "zipcat ls " + printable(word) + " lists, zipcat info " + printable(word) + " describes"
	}
	return ""
}

// habit returns what may have been meant by a flag that a command does not have.
func habit(text, command string) string {
	if word, ok := strings.CutPrefix(text, "unknown command "); ok {
		if word, err := strconv.QuotedPrefix(word); err == nil {
			word, _ = strconv.Unquote(word)
			return commandHabit(word)
		}
	}
	rest, ok := strings.CutPrefix(text, "unknown shorthand flag: '")
	if !ok || rest == "" {
		return ""
	}
	if command == "zipcat" {
		command = ""
	}
	return habits()[command]["-"+rest[:1]]
}
