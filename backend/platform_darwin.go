package backend

import (
	"os"
	"strings"
	"syscall"
)

// platformMaps says whether x/exp/mmap really maps here.
const platformMaps = true

// networkFileSystem returns the name of the network or FUSE file system that f is
// on, or "" if it is on another or that cannot be told.
func networkFileSystem(f *os.File) string {
	var st syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &st); err != nil {
		return ""
	}
	var name strings.Builder
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		name.WriteByte(byte(c))
	}
	switch s := name.String(); {
	case s == "nfs", s == "smbfs", s == "afpfs", s == "webdav", s == "ftp", s == "acfs", s == "virtiofs",
		strings.Contains(s, "fuse"): // osxfuse, macfuse, fusefs
		return s
	}
	return ""
}
