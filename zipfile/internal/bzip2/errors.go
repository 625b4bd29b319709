package bzip2

import "errors"

var (
	errMagic     = errors.New("invalid stream header")
	errBlock     = errors.New("invalid block header")
	errOrigin    = errors.New("first byte of a block is out of range")
	errUnused    = errors.New("block without byte values")
	errTables    = errors.New("invalid number of code tables")
	errSelectors = errors.New("block without selectors")
	errSelector  = errors.New("selector of a missing code table")
	errLength    = errors.New("invalid code length")
	errOver      = errors.New("more codes than their lengths allow")
	errCode      = errors.New("invalid code")
	errLong      = errors.New("block is longer than its stream allows")
	errNoEnd     = errors.New("no code for the end of a block")
	errNoCount   = errors.New("block ends within a run")
	errBlockCRC  = errors.New("block checksum mismatch")
	errStreamCRC = errors.New("stream checksum mismatch")
)
