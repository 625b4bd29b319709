package crypt

import "io"

// AES is a stream encrypted with AES as WinZip does it. It is for one goroutine at a time.
type AES struct {
	r    io.Reader
	left int64 // bytes of ciphertext that are still to be read
	err  error // what the next Read gives; io.EOF when the code matches
	s    *sealed
}

// NewAES reads the salt and the password verification value of an entry from r. The entry takes
// size bytes there, all stored bytes of it: salt, verification value, ciphertext and
// authentication code. AES reads no more than those.
//
// It fails with ErrStrength; with ErrShort when size has no room for what is not ciphertext; with
// io.ErrUnexpectedEOF when r ends too soon; with ErrPassword, which one wrong password in 65536
// does not get; and, when Go runs in FIPS 140-only mode, with the error of crypto/pbkdf2.
func NewAES(r io.Reader, size int64, strength byte, password string) (*AES, error) {
	n := keyLen(strength)
	switch {
	case n == 0:
		return nil, ErrStrength
	case size < Overhead(strength):
		return nil, ErrShort
	}
	head := make([]byte, n/2+verifyLen)
	if err := readFull(r, head); err != nil {
		return nil, err
	}
	s, err := unseal(head, n, password)
	if err != nil {
		return nil, err
	}
	return &AES{r: r, left: size - Overhead(strength), s: s}, nil
}

// Read decrypts what one Read of the source gives. With the last bytes it reads the
// authentication code: they come only when it matches, before that bytes are not verified. Then
// Read gives io.EOF. It gives ErrAuth when the code does not match, io.ErrUnexpectedEOF when the
// source ends too soon, and the source's own errors; all of them for good.
//
// A piece of 512 KiB or more is decrypted by two goroutines; the second ends before Read returns.
// A bufio.Reader of that size around the AES makes such pieces for a consumer of small ones.
func (a *AES) Read(p []byte) (int, error) {
	if a.err != nil || len(p) == 0 && a.left > 0 {
		return 0, a.err
	}
	p = p[:min(int64(len(p)), a.left)]
	var n int
	var err error
	if len(p) > 0 {
		n, err = a.r.Read(p)
		a.s.decrypt(p[:n], p[:n])
		a.left -= int64(n)
	}
	switch {
	case a.left == 0:
		if a.check(); a.err != io.EOF {
			clear(p[:n])
			return 0, a.err
		}
		if n > 0 {
			return n, nil
		}
	case err == io.EOF:
		a.err = io.ErrUnexpectedEOF
	default:
		a.err = err
	}
	return n, a.err
}

// Finish reads what Read left of the ciphertext and checks the authentication code, for a
// decompressor that does not read up to io.EOF. It returns nil when the code matches, and
// otherwise what Read would give.
func (a *AES) Finish() error {
	if a.err == nil && a.left > 0 {
		p := make([]byte, min(a.left, 32<<10))
		for a.err == nil && a.left > 0 {
			n, err := a.r.Read(p[:min(int64(len(p)), a.left)])
			a.s.mac.Write(p[:n])
			a.left -= int64(n)
			if a.left == 0 {
				break
			}
			if a.err = err; err == io.EOF {
				a.err = io.ErrUnexpectedEOF
			}
		}
	}
	if a.err == nil {
		a.check()
	}
	if a.err == io.EOF {
		return nil
	}
	return a.err
}

// check reads the authentication code and compares it.
func (a *AES) check() {
	code := a.s.code[:codeLen]
	switch err := readFull(a.r, code); {
	case err != nil:
		a.err = err
	case !a.s.verify(code):
		a.err = ErrAuth
	default:
		a.err = io.EOF
	}
}

// DecryptAES decrypts all stored bytes of an entry, from the salt to the authentication code,
// and returns what was encrypted: in dst or, when dst is nil, in place. Otherwise dst and stored
// must not overlap.
//
// The errors are those of NewAES, ErrAuth, and io.ErrShortBuffer when dst has no room.
// Nothing unverified is given out: with ErrAuth the bytes that would hold the contents are zero.
// With the other errors both buffers are as before. It allocates the state of the ciphers, about
// 7 KiB. 512 KiB or more are decrypted by two goroutines; the second ends before DecryptAES
// returns.
func DecryptAES(dst, stored []byte, strength byte, password string) ([]byte, error) {
	n := keyLen(strength)
	switch {
	case n == 0:
		return nil, ErrStrength
	case int64(len(stored)) < Overhead(strength):
		return nil, ErrShort
	}
	head, body := stored[:n/2+verifyLen], stored[n/2+verifyLen:]
	body, code := body[:len(body)-codeLen], body[len(body)-codeLen:]
	if dst == nil {
		dst = body
	}
	if len(dst) < len(body) {
		return nil, io.ErrShortBuffer
	}
	dst = dst[:len(body):len(body)]
	s, err := unseal(head, n, password)
	if err != nil {
		return nil, err
	}
	s.decrypt(dst, body)
	if !s.verify(code) {
		clear(dst)
		return nil, ErrAuth
	}
	return dst, nil
}
