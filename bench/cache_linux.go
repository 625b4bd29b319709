package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const canDropCaches = true

// dropCaches makes the system forget what it holds of the files, so that they come from the disk
// again, and says how. It leaves alone what has not been written to the disk.
func dropCaches(files []string) (how string, err error) {
	unix.Sync()
	// proc_sys_vm(5): 1 frees the page cache. That takes the rights of root.
	if f, err := os.OpenFile("/proc/sys/vm/drop_caches", os.O_WRONLY, 0); err == nil {
		_, err = f.WriteString("1")
		if err = errors.Join(err, f.Close()); err == nil {
			return "the system's cache is dropped before each run", nil
		}
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
	}
	return "the system is asked to forget the files before each run (posix_fadvise)", nil
}
