package zipfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"zipcat.dev/zipfile/internal/crypt"
	"zipcat.dev/zipfile/internal/inflate"
)

// methodAES stands for encryption by WinZip's scheme; the method is in an extra field.
const methodAES Method = 99

// realMethod takes the method of an entry of method 99 from its extra field. Where that is
// missing or wrong the method stays 99.
func (r *record) realMethod() {
	if r.method != methodAES || r.flags&flagEncrypted == 0 {
		return
	}
	if block, ok := findExtra(r.extra, extraAES); ok {
		if x, err := crypt.ParseExtra([]byte(block)); err == nil {
			r.aes, r.method = x, Method(x.Method)
		}
	}
}

// aesFault says what is wrong with the extra field of an entry that kept method 99.
func (r *record) aesFault() string {
	block, ok := findExtra(r.extra, extraAES)
	if r.flags&flagEncrypted == 0 {
		return "not marked as encrypted"
	}
	if !ok {
		return "AES extra field is missing"
	}
	if _, err := crypt.ParseExtra([]byte(block)); err != nil {
		return err.Error()
	}
	return "AES within AES"
}

func (r *record) encrypted() bool { return r.flags&(flagEncrypted|flagStrong) != 0 }

// Encryption tells how the entry is encrypted: "zipcrypto", "aes-128", "aes-192" or "aes-256" of WinZip,
// "strong" for PKWARE's, which is not read; "aes" where the strength cannot be told, and nothing where it
// is not encrypted.
func (e Entry) Encryption() string {
	r := e.record()
	switch {
	case !r.encrypted():
		return ""
	case r.flags&flagStrong != 0:
		return "strong"
	case r.aes.Strength != 0:
		return fmt.Sprintf("aes-%d", 64+64*int(r.aes.Strength))
	case r.method == methodAES:
		return "aes"
	}
	return "zipcrypto"
}

// overhead is how much of the data, in bytes, encryption takes.
func (r *record) overhead() int64 {
	switch {
	case r.flags&flagEncrypted == 0:
		return 0
	case r.aes.Strength != 0:
		return crypt.Overhead(r.aes.Strength)
	}
	return crypt.ZipCryptoOverhead
}

// checkEncryption tells what stands against decrypting an entry before the file is read.
func (z *ZipFile) checkEncryption(r *record) (kind string, err error) {
	switch {
	case r.flags&flagStrong != 0:
		return kindMethod, detailf(ErrAlgorithm, "strong encryption is not supported")
	case r.method == methodAES:
		return kindMethod, detailf(ErrAlgorithm, "method 99 (AES): %s", r.aesFault())
	case z.password == "" && z.passwordFunc == nil:
		// Never hand out ciphertext as contents, as archive/zip does.
		return kindPassword, detailf(ErrPassword, "encrypted, a password is required")
	case r.csize < r.overhead():
		return kindSize, detailf(ErrFormat, "encrypted data of %d bytes, expected at least %d", r.csize, r.overhead())
	}
	return "", nil
}

// unsealed gives the compressed data of an encrypted entry.
type unsealed struct {
	io.Reader
	aes  *crypt.AES // nil for traditional encryption
	left int64      // bytes that are still to come
}

// unseal asks for the password and begins to decrypt the data that src gives.
func (z *ZipFile) unseal(e Entry, r *record, src io.Reader) (*unsealed, error) {
	password := z.password
	if z.passwordFunc != nil {
		p, err := z.passwordFunc(e)
		if err != nil {
			return nil, &passwordError{err}
		}
		if p != "" {
			password = p
		}
	}
	if password == "" {
		return nil, &passwordError{errors.New("encrypted, no password was given")}
	}
	u := &unsealed{left: r.csize - r.overhead()}
	if r.aes.Strength != 0 {
		aes, err := crypt.NewAES(src, r.csize, r.aes.Strength, password)
		if err != nil {
			return nil, err
		}
		u.Reader, u.aes = aes, aes
		if r.csize >= 2*aesPiece && r.method != Store {
			// A decoder asks for less at a time than is worth a second goroutine.
			u.Reader = bufio.NewReaderSize(aes, aesPiece)
		}
		return u, nil
	}
	// The last byte of the header is that of the CRC, or of the time where the CRC was not known
	// when the header was written (APPNOTE 6.1.6 has two bytes; since PKZIP 2.0 it is one).
	check := byte(r.crc >> 24)
	if r.flags&flagDescriptor != 0 {
		check = byte(le16(z.dir, r.pos+cenTime) >> 8)
	}
	plain, err := crypt.NewZipCrypto(src, password, check)
	if err != nil {
		return nil, err
	}
	u.Reader = plain
	return u, nil
}

// aesPiece is how many bytes are decrypted at a time, from which on decryption and
// authentication run side by side.
const aesPiece = 512 << 10

// Read implements io.Reader.
func (u *unsealed) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	u.left -= int64(n)
	return n, err
}

// verify reads what a decoder did not need and checks the authentication code over all.
func (u *unsealed) verify() error {
	if u.aes == nil {
		return nil
	}
	return u.aes.Finish()
}

// passwordError is an ErrPassword for a reason of its own.
type passwordError struct{ err error }

func (e *passwordError) Error() string        { return e.err.Error() }
func (e *passwordError) Unwrap() error        { return e.err }
func (e *passwordError) Is(target error) bool { return target == ErrPassword }

// isCutOff reports what decoders say of data that end too early.
func isCutOff(err error) bool {
	return errors.Is(err, inflate.ErrCut) || errors.Is(err, io.ErrUnexpectedEOF)
}
