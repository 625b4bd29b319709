package jar

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"hash"
	"io"

	"zipcat.dev/zipfile"
)

// Digests identify a file, as an inner jar, in the data bases of repositories and of vulnerabilities:
// Maven Central finds artifacts by SHA-1.
type Digests struct {
	SHA1   []byte // 20 bytes
	SHA256 []byte // 32 bytes
	Size   int64  // of the file, bytes
}

// Digest digests the contents of an entry in one pass and bounded memory. They are those of the file that
// the entry was made from: length and CRC-32 agree with the directory, also of a stored one, else it is
// the error of [zipfile.Entry.Open] or of its reader. Of a directory they are those of no bytes. The cause of ctx ends it.
func Digest(ctx context.Context, e zipfile.Entry) (Digests, error) {
	r, err := e.Open()
	if err != nil {
		return Digests{}, err
	}
	defer r.Close()
	d := newDigester(ctx)
	if _, err := io.Copy(d, r); err != nil {
		return Digests{}, err
	}
	return d.digests(), nil
}

// DigestArchive digests the bytes of an archive as they are, with what stands before and behind it; of a
// split archive those of all parts, one behind the other. Nothing is verified. Errors are those of
// [zipfile.ZipFile.ReadAt] and the cause of ctx.
func DigestArchive(ctx context.Context, z *zipfile.ZipFile) (Digests, error) {
	d := newDigester(ctx)
	r := io.NewSectionReader(z, 0, z.Structure().Size)
	n, err := io.CopyBuffer(d, struct{ io.Reader }{r}, make([]byte, min(256<<10, r.Size()+1)))
	if err == nil && n != r.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return Digests{}, err
	}
	return d.digests(), nil
}

// digester digests what is written to it.
type digester struct {
	ctx          context.Context
	sha1, sha256 hash.Hash
	size         int64
}

func newDigester(ctx context.Context) *digester {
	return &digester{ctx: ctx, sha1: sha1.New(), sha256: sha256.New()}
}

func (d *digester) Write(p []byte) (int, error) {
	if d.ctx.Err() != nil {
		return 0, context.Cause(d.ctx)
	}
	d.sha1.Write(p)
	d.sha256.Write(p)
	d.size += int64(len(p))
	return len(p), nil
}

func (d *digester) digests() Digests {
	return Digests{d.sha1.Sum(nil), d.sha256.Sum(nil), d.size}
}
