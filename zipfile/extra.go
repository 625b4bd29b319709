package zipfile

// walkExtra calls fn for every block of an extra field (APPNOTE 4.5.1: identifier, length,
// data) until fn returns false. It returns the offset of a block that overruns, -1 when there
// is none. Fewer than four bytes at the end, and zeros, are padding: zipalign fills up with
// zeros (JDK-8313765 names more tools that pad).
func walkExtra[S bytestring](extra S, fn func(id uint16, block S) bool) int {
	for pos := 0; len(extra)-pos >= 4; {
		n := int(le16(extra, pos+2))
		if n > len(extra)-pos-4 {
			return pos
		}
		if !fn(le16(extra, pos), extra[pos+4:pos+4+n]) {
			return -1
		}
		pos += 4 + n
	}
	return -1
}

// findExtra returns the first block with the identifier. What follows a block that overruns
// is not looked at.
func findExtra[S bytestring](extra S, id uint16) (block S, ok bool) {
	for pos := 0; len(extra)-pos >= 4; {
		n := int(le16(extra, pos+2))
		if n > len(extra)-pos-4 {
			break
		}
		if le16(extra, pos) == id {
			return extra[pos+4 : pos+4+n], true
		}
		pos += 4 + n
	}
	return block, false
}
