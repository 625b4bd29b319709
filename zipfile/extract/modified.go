package extract

import (
	"encoding/binary"
	"time"

	"zipcat.dev/zipfile"
)

// Modified returns Entry.Modified with the time taken as one in loc if the archive gives no
// zone, as is so for those that have a DOS time only. nil is UTC. It is the zero time when
// unknown.
func Modified(e zipfile.Entry, loc *time.Location) time.Time {
	t := e.Modified()
	if t.IsZero() || loc == nil || loc == time.UTC || zoned(e) {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc)
}

// zoned reports whether the entry has one of the extra fields whose times are in UTC: NTFS,
// extended timestamp with a time of modification, old Unix.
//
// It stands here as long as zipfile does not tell.
func zoned(e zipfile.Entry) bool {
	extra := e.Extra()
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			return false
		}
		block := extra[:n]
		extra = extra[n:]
		switch {
		case id == 0x000a && hasNTFSTime(block),
			id == 0x5455 && len(block) >= 5 && block[0]&1 != 0,
			id == 0x5855 && len(block) >= 8:
			return true
		}
	}
	return false
}

func hasNTFSTime(block []byte) bool {
	if len(block) < 4 {
		return false
	}
	for block = block[4:]; len(block) >= 4; {
		tag, n := binary.LittleEndian.Uint16(block), int(binary.LittleEndian.Uint16(block[2:]))
		if block = block[4:]; n > len(block) {
			return false
		}
		if tag == 1 && n >= 8 {
			ticks := binary.LittleEndian.Uint64(block)
			return ticks != 0 && ticks <= 1<<63-1
		}
		block = block[n:]
	}
	return false
}
