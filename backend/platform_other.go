//go:build !linux && !darwin && !windows

package backend

import "os"

// platformMaps says whether x/exp/mmap really maps here. It compiles on every
// platform, but on these it reads from the file.
const platformMaps = false

// networkFileSystem is asked only where files can be mapped.
func networkFileSystem(*os.File) string { return "" }
