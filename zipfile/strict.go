package zipfile

import "errors"

// checkStrict refuses an archive about which readers could differ. It computes the findings
// of the directory and reads all local file headers and data descriptors.
func (z *ZipFile) checkStrict() error {
	for _, f := range z.findings.list {
		if f.Kind != kindPrefix { // a script in front is no ambiguity
			return refuse(f)
		}
	}
	if err := z.checkDirectory(func(f Finding, harmless bool) error {
		if harmless {
			return nil
		}
		return refuse(f)
	}); err != nil {
		return err
	}
	noted := len(z.findings.list)
	w := window{read: z.readAt, size: z.dirOffset, buf: make([]byte, 256<<10)}
	for j := range z.pos {
		i := z.inFileOrder(j)
		r := z.recordAt(int(z.pos[i]))
		if err := z.checkPlace(&w, i, &r); err != nil {
			err = z.entryError(&r, err)
			if fe, ok := errors.AsType[*FormatError](err); ok && fe.Kind != kindIO && fe.Kind != kindChanged {
				fe.Kind = kindFormat // of the archive now
			}
			return err
		}
		if len(z.findings.list) > noted {
			return refuse(z.findings.list[noted])
		}
	}
	return nil
}

func refuse(f Finding) error {
	record := recEnd
	switch {
	case f.Kind == kindDescriptor:
		record = recDesc
	case f.Kind == kindLocal:
		record = recLocal
	case f.Index >= 0:
		record = recCentral
	}
	return &FormatError{Offset: f.Offset, Record: record, Entry: f.Entry, Kind: kindFormat, Err: detailf(ErrFormat, "%s (refused by strict checks)", f.Text)}
}

// checkPlace is locate through a window, with the data descriptor.
func (z *ZipFile) checkPlace(w *window, i uint32, r *record) error {
	p, err := z.precheck(i, r)
	if err != nil {
		return err
	}
	// A deflated entry that declares too much is its own affair, when it is read; a size of all
	// ones without a zip64 block leaves open what is meant.
	if err := r.sizeFault(); err != nil && !r.encrypted() && !r.isDir(z) && (r.method == Store || r.lacksZip64()) {
		return &FormatError{Offset: z.headerOffset(r), Record: recCentral, Kind: kindSize, Err: err}
	}
	b, err := w.bytes(p.header, int(min(p.next-p.header, headerGuess)))
	if err != nil {
		return err
	}
	if err := z.parseLocal(i, r, &p, b); err != nil {
		return err
	}
	if r.flags&flagDescriptor == 0 {
		return nil
	}
	end := p.data + r.csize
	gap := max(p.next-end, 0)
	b, err = w.bytes(end, int(min(gap, descriptorLen)))
	if err != nil {
		return err
	}
	z.checkDescriptor(i, r, end, b, gap)
	return nil
}

// lacksZip64 reports a size that is all ones in the directory, without a zip64 block.
func (r *record) lacksZip64() bool {
	_, ok := findExtra(r.extra, extraZip64)
	return !ok && (r.size == max32 || r.csize == max32)
}
