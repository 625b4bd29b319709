package jar

import (
	"encoding/binary"
	"errors"
	"fmt"

	"zipcat.dev/zipfile"
)

// APKSigningBlock is the block that Android packages have between the last entry and the directory, with
// signatures of the file as a whole (source.android.com, "APK Signature Scheme v2", "APK Signing Block").
// Neither the JVM nor [Verify] heeds it.
type APKSigningBlock struct {
	Offset int64     // of its first byte in the file
	Size   int64     // bytes
	Pairs  []APKPair // in the order of the block
}

// APKPair is an element of the block.
type APKPair struct {
	ID     uint32
	Offset int64 // of the value in the file
	Size   int64 // of the value, bytes
}

// Name says what the element is: "v2", "v3", "v3.1" for signatures of these schemes, "padding",
// "dependencies", "source-stamp", empty where that is not known.
func (p APKPair) Name() string {
	switch p.ID {
	case 0x7109871a:
		return "v2"
	case 0xf05368c0:
		return "v3"
	case 0x1b93ad61:
		return "v3.1"
	case 0x42726577:
		return "padding"
	case 0x504b4453:
		return "dependencies"
	case 0x2b09189e, 0x6dff800d:
		return "source-stamp"
	}
	return ""
}

const (
	apkMagic  = "APK Sig Block 42"
	apkFooter = 8 + len(apkMagic) // size of the block without its first field, and the magic
	maxPairs  = 1000
)

// ErrNoAPKSigningBlock is the error for an archive without such a block.
var ErrNoAPKSigningBlock = errors.New("no APK signing block")

// ReadAPKSigningBlock reads the block of an archive, which it finds before the directory: sizes and
// identifiers, not the values. The error is [ErrNoAPKSigningBlock] where there is none, one that wraps
// [zipfile.ErrFormat] where it is damaged or has more than 1,000 elements, or that of [zipfile.ZipFile.ReadAt].
func ReadAPKSigningBlock(z *zipfile.ZipFile) (*APKSigningBlock, error) {
	if z.Len() == 0 {
		return nil, ErrNoAPKSigningBlock
	}
	end := z.Structure().Directory
	if end < int64(8+apkFooter) { // also that of a directory that was rebuilt
		return nil, ErrNoAPKSigningBlock
	}
	footer := make([]byte, apkFooter)
	if _, err := z.ReadAt(footer, end-int64(apkFooter)); err != nil {
		return nil, err
	}
	if string(footer[8:]) != apkMagic {
		return nil, ErrNoAPKSigningBlock
	}
	size := binary.LittleEndian.Uint64(footer)
	if size < uint64(apkFooter) || size > uint64(end)-8 {
		return nil, apkError("size of %d bytes", size)
	}
	b := &APKSigningBlock{Offset: end - 8 - int64(size), Size: int64(size) + 8}
	field := make([]byte, 12)
	if _, err := z.ReadAt(field[:8], b.Offset); err != nil {
		return nil, err
	}
	if first := binary.LittleEndian.Uint64(field); first != size {
		return nil, apkError("two sizes, %d and %d bytes", first, size)
	}
	for at, end := b.Offset+8, end-int64(apkFooter); at < end; {
		if len(b.Pairs) == maxPairs {
			return nil, apkError("more than %d elements", maxPairs)
		}
		if end-at < int64(len(field)) {
			return nil, apkError("%d bytes where an element is due", end-at)
		}
		if _, err := z.ReadAt(field, at); err != nil {
			return nil, err
		}
		n := binary.LittleEndian.Uint64(field)
		if n < 4 || n > uint64(end-at)-8 {
			return nil, apkError("element of %d bytes", n)
		}
		b.Pairs = append(b.Pairs, APKPair{ID: binary.LittleEndian.Uint32(field[8:]), Offset: at + 12, Size: int64(n) - 4})
		at += 8 + int64(n)
	}
	return b, nil
}

func apkError(format string, args ...any) error {
	return fmt.Errorf("%w: APK signing block: %s", zipfile.ErrFormat, fmt.Sprintf(format, args...))
}
