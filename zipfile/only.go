package zipfile

import (
	"math"
	"strings"
	"unicode/utf8"
)

// kept tells of the headers that a directory was reduced to where they stand, see Options.Only.
type kept struct {
	headers []keptHeader // for each of ZipFile.pos
	dirSize int64        // bytes of the whole directory
}

type keptHeader struct {
	at   int64 // the header in the directory, bytes from the start of the file
	next int64 // the local file header behind that of the entry, math.MaxInt64 for the last
}

// wanted is a set of names. Most names are told apart by their length alone.
type wanted struct {
	names   map[string]struct{}
	lengths [256]bool // modulo 256

	// sameLength: an entry of one of the names has a stored name of the same length, unless a
	// Unicode Path block gives the name. For what is not ASCII is decoded to what is not ASCII, and
	// the slash that a backslash becomes is as long.
	sameLength bool
}

func (z *ZipFile) wantedNames(names []string) *wanted {
	w := &wanted{names: make(map[string]struct{}, len(names)), sameLength: z.charset == nil}
	for _, name := range names {
		w.names[name] = struct{}{}
		w.lengths[uint8(len(name))] = true
		for i := range len(name) {
			w.sameLength = w.sameLength && name[i] < utf8.RuneSelf
		}
	}
	return w
}

// has tells of a name as it is stored. One that may stand for another is wanted too.
func (w *wanted) has(name, extra []byte) bool {
	if w.lengths[uint8(len(name))] {
		if _, ok := w.names[string(name)]; ok || isOdd(name) {
			return true
		}
	} else if !w.sameLength && isOdd(name) {
		return true
	}
	return mayRename(extra)
}

// maySelect tells whether the directory is one to be reduced: large, and of the common kind, for
// which a pass from front to back knows all that opening has to know.
func (o *opening) maySelect(e *endRecord) bool {
	z := o.z
	wraps := !e.wide && e.base != 0 && e.base%wrapAt == 0
	return o.only != nil && e.dirOffset < o.start && z.checks == Standard && !z.recover &&
		z.disks == nil && z.limits.MaxTotalSize <= 0 && !wraps
}

// selectOnly is load for the entries that are wanted, in one pass through the tail as its buffer.
// It is not ok where headers do not ascend or need a closer look; then load begins anew.
func (o *opening) selectOnly(e *endRecord) (count int, ok bool, err error) {
	z, want := o.z, o.z.wantedNames(o.only)
	only := &kept{dirSize: e.dirSize}
	var dir strings.Builder
	z.pos = z.pos[:0]
	last, lowest := int64(-1), int64(math.MaxInt64)
	follows := false // the last header was kept
pass:
	for off, end := e.dirOffset, e.dirOffset+e.dirSize; off < end; {
		b := o.tail[:min(end-off, int64(len(o.tail)))]
		if err := z.readOnce(b, off); err != nil {
			return 0, false, err
		}
		pos := 0
		for pos < len(b) {
			h, left := b[pos:], end-off-int64(pos)
			if len(h) < centralLen && int64(len(h)) < left {
				break // read on from here
			}
			n := headerLen(h)
			if n == 0 || int64(n) > left {
				if isDigitalSignature(h, int(left)) {
					break pass
				}
				return 0, false, headerFault(h, off+int64(pos), left)
			}
			if n > len(h) {
				break
			}
			header := int64(le32(h, cenOffset))
			if header == max32 || header <= last {
				return 0, false, nil
			}
			if last = header; count == 0 {
				lowest = header
			}
			if follows {
				only.headers[len(only.headers)-1].next = z.base + header
			}
			extra := centralLen + int(le16(h, cenNameLen))
			follows = want.has(h[centralLen:extra], h[extra:extra+int(le16(h, cenExtraLen))])
			if follows {
				z.pos = append(z.pos, uint32(dir.Len()))
				only.headers = append(only.headers, keptHeader{at: off + int64(pos), next: math.MaxInt64})
				dir.Write(h[:n])
			}
			count++
			pos += n
		}
		if pos == 0 {
			return 0, false, nil // a header larger than the buffer
		}
		off += int64(pos)
	}
	z.dir, z.only, z.ascending = dir.String(), only, true
	return count, true, z.scanned(count, lowest)
}
