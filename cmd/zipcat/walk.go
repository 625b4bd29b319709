package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zipcat.dev/zipfile/jar"
)

// isArchiveFile reports whether a file has the name of an archive, or of the first part of one that was cut
// into x.zip.001, x.zip.002 and so on. Of x.z01, ..., x.zip the last part has it.
func isArchiveFile(name string) bool {
	return jar.ArchiveName(strings.TrimSuffix(name, ".001"))
}

// walkArchives calls each for the files in a directory, and those below it, that have names of archives,
// and for what cannot be read. Links to files are followed where they lead out of the directory: what
// is in it comes under its own name. Those to directories are not. It ends with the first error of each.
func walkArchives(name string, each func(path string, err error) error) error {
	root := name
	if st, err := os.Lstat(name); err == nil && !st.IsDir() {
		root += string(filepath.Separator) // WalkDir follows no link, not that which it begins at
	}
	within, err := filepath.EvalSymlinks(root)
	if err != nil {
		return each(name, err)
	}
	if within, err = filepath.Abs(within); err != nil {
		return each(name, err)
	}
	within = strings.TrimSuffix(within, string(filepath.Separator)) + string(filepath.Separator)
	seen := make(map[string]bool) // targets of links
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return each(path, err)
		case !isArchiveFile(d.Name()):
			return nil
		case d.Type().IsRegular():
			return each(path, nil)
		case d.Type()&fs.ModeSymlink == 0:
			return nil
		}
		target, err := filepath.EvalSymlinks(path)
		if err == nil {
			target, err = filepath.Abs(target)
		}
		if err != nil {
			return each(path, err)
		}
		st, err := os.Stat(target)
		switch {
		case err != nil:
			return each(path, err)
		case !st.Mode().IsRegular() || strings.HasPrefix(target, within) || seen[target]:
			return nil
		}
		seen[target] = true
		return each(path, nil)
	})
}
