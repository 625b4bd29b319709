package extract

import "os"

// folder is a directory in which files are made. What [os.Root] does in more calls of the system
// than it takes, or not at all, the handle does in those of each system. Their names are single
// elements and follow no links, so that they lead nowhere else.
type folder struct {
	*os.Root
	handle
}

// folderAt returns the directory with a path. It stays open until the next call.
func (w *worker) folderAt(path string) (*folder, error) {
	dir, err := w.cursor.at(path)
	if err != nil {
		return nil, err
	}
	if w.folder == nil || w.folder.Root != dir {
		w.closeFolder()
		w.folder, err = openFolder(dir)
	}
	return w.folder, err
}

func (w *worker) closeFolder() {
	if w.folder != nil {
		w.folder.handle.close()
		w.folder = nil
	}
}

func (w *worker) close() {
	w.closeFolder()
	w.cursor.close()
}
