package zipfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strings"
)

// bound finds the end of an entry whose sizes stand behind it, in a descriptor if at all.
func (rc *recovery) bound(r *record, data int64) (next int64, f fate, why string, err error) {
	switch r.method {
	case Deflate, Deflate64, BZip2, XZ, LZMA:
		if !r.encrypted() && rc.z.readable(r.method) && rc.z.custom(r.method) == nil && rc.work > 0 {
			return rc.boundByDecoding(r, data)
		}
	}
	return rc.boundBySignature(r, data)
}

func (rc *recovery) boundByDecoding(r *record, data int64) (next int64, f fate, why string, err error) {
	n, crc, used, fault := rc.decode(r, data, rc.size, math.MaxInt64)
	if src, ok := errors.AsType[*sourceError](fault); ok {
		return 0, 0, "", src.err
	}
	r.size, r.crc = n, crc
	switch {
	case fault == nil:
		r.csize = used
		d, err := rc.descriptor(data+used, used, n)
		if err != nil {
			return 0, 0, "", err
		}
		next = data + used + d.length
		switch {
		case d.length > 0 && d.crc == crc:
			return next, whole, "", nil
		case d.length > 0:
			r.crc = d.crc
			return next, damaged, fmt.Sprintf("contents have CRC-32 %08x, the data descriptor says %08x", crc, d.crc), nil
		}
		switch sig, err := rc.signatureAt(next); {
		case err != nil:
			return 0, 0, "", err
		case walkExtra(r.extra, func(uint16, string) bool { return true }) >= 0:
			// Nothing confirms where the data begin.
		case sig == sigLocal, sig == sigCentral: // no descriptor
			return next, unverified, "", nil
		case rc.size-next < descriptorLen: // none, or one that is cut off
			return rc.size, unverified, "", nil
		}
		r.size++ // so that it does not pass for whole
		why = fmt.Sprintf("no data descriptor for %d bytes out of %d follows", n, used)
		next, err = rc.signature(r.header+localLen, sigLocal, sigCentral)
		return next, damaged, why, err
	case isCutOff(fault):
		r.csize = rc.size - data
		r.size++ // so that it never passes for whole
		return rc.size, cutOff, fmt.Sprintf("the first %d bytes are there", n), nil
	}
	if next, err = rc.signature(r.header+localLen, sigLocal, sigCentral); err != nil {
		return 0, 0, "", err
	}
	r.csize = max(next-data, 0)
	r.size++
	return next, damaged, fmt.Sprintf("%v after %d bytes", fault, n), nil
}

// descriptor is a data descriptor that fits the entry before it.
type descriptor struct {
	length int64 // bytes; 0: there is none
	crc    uint32
	size   int64
}

// descriptor looks for one at off of an entry with csize bytes of data, and of size bytes unless
// that is negative. Of two readings that fit, that is right behind which a record begins.
func (rc *recovery) descriptor(off, csize, size int64) (d descriptor, err error) {
	b, err := rc.w.bytes(off, int(min(descriptorLen, rc.size-off)))
	if err != nil {
		return d, err
	}
	at := 0
	if len(b) >= 4 && le32(b, 0) == sigDataDesc {
		at = 4
	}
	fits := descriptors(b, at, csize, size)
	for _, d := range fits {
		if ok, err := rc.recordAt(off + d.length); ok || err != nil {
			return d, err
		}
	}
	if len(fits) > 0 {
		d = fits[0]
	}
	return d, nil
}

// descriptors gives what b[at:] says if that fits, read with sizes of 64 and of 32 bits.
func descriptors(b []byte, at int, csize, size int64) (fits []descriptor) {
	b = b[min(at, len(b)):]
	if len(b) >= 20 && int64(le64(b, 4)) == csize && (size < 0 || int64(le64(b, 12)) == size) && int64(le64(b, 12)) >= 0 {
		fits = append(fits, descriptor{int64(at) + 20, le32(b, 0), int64(le64(b, 12))})
	}
	if len(b) >= 12 && int64(le32(b, 4)) == csize && (size < 0 || int64(le32(b, 8)) == size) {
		fits = append(fits, descriptor{int64(at) + 12, le32(b, 0), int64(le32(b, 8))})
	}
	return fits
}

// boundBySignature finds the end of an entry that cannot be decoded, or whose data do not say
// where they end: the first descriptor that fits the length.
func (rc *recovery) boundBySignature(r *record, data int64) (next int64, f fate, why string, err error) {
	plain := r.method == Store && !r.encrypted()
	first := rc.size // header behind it
	for from := data; rc.work > 0; {
		at, err := rc.signature(from, sigDataDesc, sigLocal, sigCentral)
		if err != nil {
			return 0, 0, "", err
		}
		rc.work -= at - from + 64
		if at == rc.size {
			break
		}
		sig, err := rc.signatureAt(at)
		if err != nil {
			return 0, 0, "", err
		}
		ends := []int64{at}
		if sig != sigDataDesc {
			first = min(first, at)
			ends = []int64{at - 12, at - 20} // a descriptor without a signature
		}
		for _, end := range ends {
			if end < data {
				continue
			}
			size := int64(-1)
			if plain {
				size = end - data
			}
			d, err := rc.descriptor(end, end-data, size)
			if err != nil {
				return 0, 0, "", err
			}
			if d.length == 0 || sig != sigDataDesc && end+d.length != at {
				continue
			}
			r.csize, r.size, r.crc = end-data, d.size, d.crc
			switch {
			case !plain:
				return end + d.length, unverified, "", nil
			case rc.crc(data, end) == d.crc:
				return end + d.length, whole, "", nil
			}
			return end + d.length, damaged, fmt.Sprintf("contents do not have CRC-32 %08x", d.crc), nil
		}
		from = at + 4
	}
	switch {
	case first == data && plain && strings.HasSuffix(r.name, "/"): // nothing was written, not even a descriptor
		r.size, r.csize, r.crc = 0, 0, 0
		return data, whole, "", nil
	case !plain:
		next, err = rc.signature(r.header+localLen, sigLocal, sigCentral)
		return next, lost, fmt.Sprintf("end and size of the data at offset %d are not known", data), err
	case first == data || first == rc.size: // an archive that is cut off, or another file
		r.csize = rc.size - data
		r.size = r.csize + 1 // so that it never passes for whole
		return rc.size, cutOff, fmt.Sprintf("the first %d bytes are there", r.csize), nil
	}
	next, err = rc.signature(r.header+localLen, sigLocal, sigCentral)
	r.csize = max(next-data, 0)
	r.size = r.csize + 1
	return next, damaged, "no data descriptor fits", err
}

// crc returns the CRC-32 of bytes of the file, 0 when they cannot be read or that is too much work.
func (rc *recovery) crc(from, to int64) uint32 {
	if rc.work -= to - from; rc.work <= 0 {
		return 0
	}
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, &source{z: rc.z, off: from, end: to}); err != nil {
		return 0
	}
	return h.Sum32()
}

// errTooLarge says that an entry gives more than Limits.MaxEntrySize, or than there is work left for.
var errTooLarge = errors.New("too large to be decoded here")

// sourceError is a failure to read the file, as opposed to what a decoder says.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }

// decode decodes the data between two places, most bytes and one at the most, and says how many
// bytes it gave, their CRC-32, and how many bytes of data that took.
func (rc *recovery) decode(r *record, data, end, most int64) (n int64, crc uint32, used int64, err error) {
	limit := int64(math.MaxInt64)
	if m := rc.z.limits.MaxEntrySize; m > 0 {
		limit = m
	}
	src := &source{z: rc.z, off: data, end: end}
	var in io.Reader = src
	var dec decoder
	if r.method != Store {
		declared := *r
		declared.size = most
		if dec, err = rc.z.newDecoder(&declared, src); err != nil {
			return 0, 0, 0, err
		}
		defer dec.Free()
		in = dec
	}
	buf := getBuffer(256 << 10)
	defer buf.free()
	for err == nil && n <= min(most, limit) && src.off-data+n/16 <= rc.work {
		var m int
		m, err = in.Read(buf.b)
		crc = crc32.Update(crc, crc32.IEEETable, buf.b[:m])
		n += int64(m)
	}
	used = src.off - data
	rc.work -= used + n/16
	switch {
	case src.err != nil:
		err = &sourceError{src.err}
	case n > limit, err == nil && n <= most:
		err = errTooLarge
	case err == io.EOF:
		err = nil
	case err == nil:
		err = detailf(ErrFormat, "gives more than %d bytes", most)
	}
	if dec != nil {
		used -= int64(dec.Buffered())
	}
	return n, crc, used, err
}
