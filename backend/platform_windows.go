package backend

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// platformMaps says whether x/exp/mmap really maps here.
const platformMaps = true

// networkFileSystem returns the name of the network file system that f is on, or
// "" if it is on another or that cannot be told. It goes by the path, so that a
// directory that is a link to a share counts as local.
func networkFileSystem(f *os.File) string {
	path, err := filepath.Abs(f.Name())
	if err != nil {
		return ""
	}
	volume := filepath.VolumeName(path)
	if rest, ok := strings.CutPrefix(volume, `\\?\`); ok {
		if unc, ok := strings.CutPrefix(rest, `UNC\`); ok {
			return "share " + unc
		}
		volume = rest
	}
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\.\`) {
		return "share " + volume
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "drive " + volume
}
