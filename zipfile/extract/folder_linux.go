package extract

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// handle is the directory for calls of our own.
type handle struct{ dir *os.File }

func openFolder(r *os.Root) (*folder, error) {
	dir, err := r.OpenFile(".", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	return &folder{r, handle{dir}}, nil
}

func (h handle) close() { h.dir.Close() }

// create makes a file that was not there. os.Root.OpenFile would try whether epoll takes it,
// which is five calls of the system for each file.
func (h handle) create(name string) (output, error) {
	fd := -1
	err := h.call(func(dir int) (err error) {
		fd, err = unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// setTime sets the time of last change.
func (h handle) setTime(name string, t time.Time) error {
	return h.call(func(dir int) error {
		ts := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(t.UnixNano())}
		return unix.UtimesNanoAt(dir, name, ts, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// renameNew renames to a name that is free, else the error is fs.ErrExist. Not all file systems
// can do that.
func (h handle) renameNew(from, to string) error {
	return h.call(func(dir int) error { return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE) })
}

// call calls the system until no signal comes between, as os does.
func (h handle) call(f func(dir int) error) error {
	for {
		if err := f(int(h.dir.Fd())); err != unix.EINTR {
			return err
		}
	}
}
