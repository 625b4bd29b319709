package jar

import "encoding/asn1"

// What there may be in BER: how deep elements may be nested, and how many they may be.
const (
	maxDepth    = 64
	maxElements = 100_000
)

// definite gives BER in which lengths are indefinite (X.690, 8.1.3.6) in the definite form, and strings
// of bytes that are in pieces in one: some tools write that, and sun.security.util.DerIndefLenConverter
// takes it. It reports whether there was such a thing, and nothing that makes no sense; bytes that
// follow are dropped.
func definite(b []byte) (out []byte, ok bool) {
	left := maxElements
	out, _, changed, ok := definiteElement(b, 0, &left)
	return out, changed && ok
}

// definiteElement converts the element that b begins with and returns what follows it. left is how many
// elements there may be yet.
func definiteElement(b []byte, depth int, left *int) (out, rest []byte, changed, ok bool) {
	if *left--; *left < 0 || depth > maxDepth || len(b) < 2 || b[0]&0x1f == 0x1f {
		return nil, nil, false, false
	}
	tag := b[0]
	constructed := tag&0x20 != 0
	indefinite := b[1] == 0x80
	var inner []byte
	if indefinite {
		if inner, rest = b[2:], nil; !constructed {
			return nil, nil, false, false
		}
	} else {
		var v asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(b, &v); err != nil {
			return nil, nil, false, false
		}
		out, inner = v.FullBytes, v.Bytes
		if !constructed {
			return out, rest, false, true
		}
	}
	octets := tag == 0x20|asn1.TagOctetString
	changed = indefinite || octets
	var body []byte
	for {
		if indefinite && len(inner) >= 2 && inner[0] == 0 && inner[1] == 0 {
			rest = inner[2:]
			break
		}
		if !indefinite && len(inner) == 0 {
			break
		}
		piece, next, c, ok := definiteElement(inner, depth+1, left)
		if !ok {
			return nil, nil, false, false
		}
		if octets {
			if piece[0] != asn1.TagOctetString {
				return nil, nil, false, false
			}
			var v asn1.RawValue
			if _, err := asn1.Unmarshal(piece, &v); err != nil {
				return nil, nil, false, false
			}
			piece = v.Bytes
		}
		inner, changed = next, changed || c
		body = append(body, piece...)
	}
	if !changed {
		return out, rest, false, true
	}
	if octets {
		tag = asn1.TagOctetString
	}
	return append(header(tag, len(body)), body...), rest, true, true
}

// header gives a tag and a length in the definite form.
func header(tag byte, n int) []byte {
	switch {
	case n < 0x80:
		return []byte{tag, byte(n)}
	case n < 1<<8:
		return []byte{tag, 0x81, byte(n)}
	case n < 1<<16:
		return []byte{tag, 0x82, byte(n >> 8), byte(n)}
	case n < 1<<24:
		return []byte{tag, 0x83, byte(n >> 16), byte(n >> 8), byte(n)}
	}
	return []byte{tag, 0x84, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}
