// Package backend reads the bytes of one file at any position, through a
// mechanism that is chosen when the file is opened: positioned reads, a
// read-only memory mapping, memory, or whatever implements [Backend].
//
//	b, err := backend.Open("app.jar", backend.Auto)
//	if err != nil {
//		return err
//	}
//	defer b.Close()
//	var magic [4]byte
//	if _, err := b.ReadAt(magic[:], 0); err != nil {
//		return err
//	}
//	fmt.Printf("%q through %v\n", magic, backend.Describe(b).Name)
//
// The choice can be made again while the file is open, see [Reopen], and be put
// off by a program that may not map files yet, see [AllowMapping]. Package
// backend knows nothing of what the bytes mean, keeps no cache and starts no
// goroutine.
package backend

import "io"

// Backend gives random access to the bytes of one file, or of what stands in
// for one.
//
// ReadAt fills p or returns an error: it keeps the contract of [io.ReaderAt] and
// makes these points of it narrower. Offsets count from the first byte. A
// negative offset is an error. A read that reaches past Size returns the bytes
// before it and io.EOF itself, so that it may be compared with ==. A read of no
// bytes at an offset from 0 to Size returns 0, nil. Bytes before Size that cannot
// be had are an error other than io.EOF. A read that returns nil has right bytes
// as far as the mechanism can know; that a file was written to while it was open
// is found out by [Changed], and by whatever checks a checksum.
//
// Size is fixed when the Backend is made, and may be asked for after Close.
//
// All methods are safe for concurrent use. After Close, ReadAt returns an error
// that wraps [io/fs.ErrClosed]. A ReadAt that races with Close finishes with right
// bytes or returns such an error; it never faults. Close may wait for reads in
// progress. A second Close does nothing and returns nil.
//
// A Backend that is wrapped around another should have the method
//
//	Unwrap() Backend
//
// which [Changed] and [Describe] see through; nil means that there is nothing
// inside. A Backend that can tell by itself whether its bytes are still those it
// was made for may have the method
//
//	Changed() error
//
// which the function [Changed] calls and which keeps that function's contract.
// [Reopen] sees through nothing, for it would drop the wrapper.
//
// Package backendtest holds a suite of tests that every Backend should pass.
type Backend interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Viewer is a Backend that can lend its bytes without copying them.
//
// View calls fn once with the n bytes at off and returns what fn returns. A
// negative off or n is an error, bytes past the end are io.EOF, and after Close
// the error wraps [io/fs.ErrClosed]; in these cases fn is not called.
//
// fn must neither change b nor keep it; b stays valid until fn returns, also when
// the Viewer is closed meanwhile. fn may call any method of the Viewer, Close
// included: so Close must not wait for a View in progress, as it may for a ReadAt.
type Viewer interface {
	Backend
	View(off int64, n int, fn func(b []byte) error) error
}

func unwrap(b Backend) Backend {
	if w, ok := b.(interface{ Unwrap() Backend }); ok {
		return w.Unwrap()
	}
	return nil
}
