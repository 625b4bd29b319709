//go:build !linux

package extract

import (
	"errors"
	"os"
	"time"
)

type handle struct{ root *os.Root }

func openFolder(r *os.Root) (*folder, error) { return &folder{r, handle{r}}, nil }

func (handle) close() {}

func (h handle) create(name string) (output, error) {
	return h.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (h handle) setTime(name string, t time.Time) error {
	return h.root.Chtimes(name, time.Time{}, t)
}

func (handle) renameNew(from, to string) error { return errors.ErrUnsupported }
