package jar

import (
	"encoding/asn1"
	"fmt"
)

// der reads one element of DER after the other.
type der []byte

// next returns an element.
func (d *der) next() (v asn1.RawValue, err error) {
	*d, err = asn1.Unmarshal(*d, &v)
	return v, err
}

// is tells whether the next element has a tag, in the class of the context if so.
func (d der) is(class, tag int) bool {
	return len(d) > 0 && int(d[0]>>6) == class && int(d[0]&0x1f) == tag
}

// sequence enters an element of the universal class, SEQUENCE or SET.
func (d *der) sequence(tag int) (der, error) {
	v, err := d.next()
	if err == nil && (v.Class != asn1.ClassUniversal || v.Tag != tag || !v.IsCompound) {
		err = fmt.Errorf("tag %#x where a sequence or set is due", v.FullBytes[0])
	}
	return v.Bytes, err
}

// optional enters an element with a tag of the context, if it is the next one.
func (d *der) optional(tag int) (inner der, ok bool, err error) {
	if !d.is(asn1.ClassContextSpecific, tag) {
		return nil, false, nil
	}
	v, err := d.next()
	if err == nil && !v.IsCompound {
		err = fmt.Errorf("element [%d] without elements", tag)
	}
	return v.Bytes, err == nil, err
}

// primitive returns the contents of an element.
func (d *der) primitive(tag int) ([]byte, error) {
	v, err := d.next()
	if err == nil && (v.Class != asn1.ClassUniversal || v.Tag != tag || v.IsCompound) {
		err = fmt.Errorf("tag %#x where %#x is due", v.FullBytes[0], tag)
	}
	return v.Bytes, err
}

func (d *der) oid() (oid asn1.ObjectIdentifier, err error) {
	all := *d
	if _, err = d.primitive(asn1.TagOID); err != nil {
		return nil, err
	}
	_, err = asn1.Unmarshal(all, &oid)
	return oid, err
}

func (d *der) algorithm() (a algorithmIdentifier, err error) {
	in, err := d.sequence(asn1.TagSequence)
	if err != nil {
		return a, err
	}
	return in.algorithmBody()
}

// algorithmBody reads what is within an AlgorithmIdentifier.
func (d *der) algorithmBody() (a algorithmIdentifier, err error) {
	if a.oid, err = d.oid(); err != nil || len(*d) == 0 {
		return a, err
	}
	v, err := d.next()
	a.parameters = v.FullBytes
	return a, err
}
