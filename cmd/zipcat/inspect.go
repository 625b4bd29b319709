package main

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

// entryFacts are what info tells of an entry, and its object in JSON.
type entryFacts struct {
	*listedEntry
	DataOffset *int64         `json:"data_offset,omitempty"`
	Central    *headerFacts   `json:"directory_header"`
	Local      *headerFacts   `json:"local_header,omitempty"` // nil if it cannot be read
	Findings   []foundFinding `json:"findings,omitempty"`     // in place of their kinds
	entries    int            // of the archive
	entry      zipfile.Entry
}

// headerFacts are the fields of a header as they are stored, those that only the directory has left
// out of a local one.
type headerFacts struct {
	Offset         *int64       `json:"offset,omitempty"` // nil where the directory was rebuilt
	MadeBy         *uint16      `json:"made_by,omitempty"`
	Needed         uint16       `json:"version_needed"`
	Flags          uint16       `json:"flags"`
	Method         uint16       `json:"method"`
	Time           uint16       `json:"dos_time"`
	Date           uint16       `json:"dos_date"`
	CRC32          string       `json:"crc32"`
	CompressedSize uint32       `json:"compressed_size"`
	Size           uint32       `json:"size"`
	NameLen        int          `json:"name_length"`
	CommentLen     *int         `json:"comment_length,omitempty"`
	Disk           *uint16      `json:"disk,omitempty"`
	Internal       *uint16      `json:"internal_attributes,omitempty"`
	External       *uint32      `json:"external_attributes,omitempty"`
	HeaderOffset   *uint32      `json:"header_offset,omitempty"`
	Extra          []extraFacts `json:"extra,omitempty"`
	header         *zipfile.Header
}

// extraFacts are a block of an extra field, or the bytes at its end that are none.
type extraFacts struct {
	ID   string `json:"id,omitempty"` // 4 hex digits
	Name string `json:"name,omitempty"`
	Size int    `json:"size"`
	Text string `json:"text,omitempty"` // what it says, or its bytes in hexadecimal
}

func headerFactsOf(h *zipfile.Header, central bool) *headerFacts {
	f := &headerFacts{
		Needed: h.Needed, Flags: h.Flags, Method: h.Method, Time: h.Time, Date: h.Date, CRC32: fmt.Sprintf("%08x", h.CRC32),
		CompressedSize: h.CompressedSize, Size: h.Size, NameLen: len(h.Name), header: h,
	}
	if h.Offset >= 0 {
		f.Offset = &h.Offset
	}
	if central {
		n := len(h.Comment)
		f.MadeBy, f.CommentLen, f.Disk = &h.MadeBy, &n, &h.Disk
		f.Internal, f.External, f.HeaderOffset = &h.Internal, &h.External, &h.HeaderOffset
	}
	used := 0
	for id, block := range zipfile.ExtraFields(h.Extra) {
		used += 4 + len(block)
		name, text := extraText(id, block, h)
		f.Extra = append(f.Extra, extraFacts{ID: fmt.Sprintf("%04x", id), Name: name, Size: len(block), Text: text})
	}
	if rest := h.Extra[used:]; len(rest) > 0 {
		f.Extra = append(f.Extra, extraFacts{Size: len(rest), Text: dump(rest)})
	}
	return f
}

// factsOfEntry gathers all there is about an entry. A local header that cannot be read is told.
func (a *app) factsOfEntry(ar *archive, e zipfile.Entry, findings []foundFinding) *entryFacts {
	f := &entryFacts{Findings: findings, Central: headerFactsOf(e.CentralHeader(), true), entries: ar.Len(), entry: e}
	if local, err := e.LocalHeader(); err != nil {
		a.say.entry(ar.name, e.Name(), err)
		a.exit.note(entryExit(err))
	} else {
		f.Local = headerFactsOf(local, false)
		if off, err := e.DataOffset(); err == nil {
			f.DataOffset = &off
		}
	}
	f.listedEntry = listed(e.Name(), e, nil)
	return f
}

// describeEntry prints the facts in lines.
func (a *app) describeEntry(f *entryFacts) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(a.out, "%-20s %s\n", label, fmt.Sprintf(format, args...))
	}
	e := f.entry
	line("entry", "%s", printable(f.Name))
	if raw := e.RawName(); raw != f.Name {
		line("raw name", "%q", raw)
	}
	line("place", "entry %d of %d in the directory", f.Index+1, f.entries)
	line("contents", "%d bytes, CRC-32 %s", f.Size, f.CRC32)
	line("data", "%d bytes, method %s", f.CompressedSize, f.Method)
	line("mode", "%s", f.Mode)
	if !e.Modified().IsZero() {
		line("modified", "%s", modifiedText(e))
	}
	if f.Comment != "" {
		line("comment", "%s", printable(f.Comment))
	}
	if f.Encrypted {
		line("encrypted", "%s", f.Encryption)
	}
	if f.DataOffset != nil {
		line("data at", "%d to %d", *f.DataOffset, *f.DataOffset+f.CompressedSize)
	}
	fmt.Fprintf(a.out, "\n%-20s %-24s %s\n", "header", "directory", "local")
	for _, field := range headerFields {
		local := "-"
		if f.Local != nil && !field.centralOnly {
			local = field.text(f.Local.header)
		}
		fmt.Fprintf(a.out, "%-20s %-24s %s\n", field.name, field.text(f.Central.header), local)
	}
	a.describeExtra("directory", f.Central)
	a.describeExtra("local header", f.Local)
	for _, found := range f.Findings {
		line("finding", "%s: %s", found.Kind, found.Text)
	}
	fmt.Fprintln(a.out)
}

// modifiedText is the time of last change. DOS times are those of a wall clock somewhere.
func modifiedText(e zipfile.Entry) string {
	t := e.Modified()
	if hasNoZone(e) {
		return t.Format("2006-01-02 15:04:05") + ", in the time zone of who made the archive"
	}
	return t.Format(time.RFC3339Nano)
}

// headerFields are the lines of both headers, in the order of the format.
var headerFields = []struct {
	name        string
	centralOnly bool
	text        func(h *zipfile.Header) string
}{
	{"offset", false, func(h *zipfile.Header) string {
		if h.Offset < 0 {
			return "rebuilt"
		}
		return fmt.Sprint(h.Offset)
	}},
	{"made by", true, func(h *zipfile.Header) string {
		return fmt.Sprintf("%s, version %d.%d", hostName(h.MadeBy>>8), h.MadeBy&0xff/10, h.MadeBy&0xff%10)
	}},
	{"version needed", false, func(h *zipfile.Header) string { return fmt.Sprintf("%d.%d", h.Needed&0xff/10, h.Needed&0xff%10) }},
	{"flags", false, func(h *zipfile.Header) string { return flagsText(h.Flags) }},
	{"method", false, func(h *zipfile.Header) string {
		return fmt.Sprintf("%d (%s)", h.Method, zipfile.Method(h.Method))
	}},
	{"time", false, func(h *zipfile.Header) string {
		return fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", h.Date>>9+1980, h.Date>>5&15, h.Date&31, h.Time>>11, h.Time>>5&63, h.Time&31*2)
	}},
	{"CRC-32", false, func(h *zipfile.Header) string { return fmt.Sprintf("%08x", h.CRC32) }},
	{"compressed size", false, func(h *zipfile.Header) string { return number32(h.CompressedSize) }},
	{"size", false, func(h *zipfile.Header) string { return number32(h.Size) }},
	{"name", false, func(h *zipfile.Header) string { return fmt.Sprintf("%d bytes", len(h.Name)) }},
	{"extra field", false, func(h *zipfile.Header) string { return fmt.Sprintf("%d bytes", len(h.Extra)) }},
	{"comment", true, func(h *zipfile.Header) string { return fmt.Sprintf("%d bytes", len(h.Comment)) }},
	{"disk", true, func(h *zipfile.Header) string { return fmt.Sprint(h.Disk) }},
	{"internal attributes", true, func(h *zipfile.Header) string { return fmt.Sprintf("%#04x", h.Internal) }},
	{"external attributes", true, func(h *zipfile.Header) string { return fmt.Sprintf("%#08x", h.External) }},
	{"header offset", true, func(h *zipfile.Header) string { return number32(h.HeaderOffset) }},
}

func number32(n uint32) string {
	if n == 1<<32-1 {
		return "ffffffff (see zip64)"
	}
	return fmt.Sprint(n)
}

// hostName names hosts of "version made by" (APPNOTE 4.4.2.2).
func hostName(host uint16) string {
	names := [...]string{
		"FAT", "Amiga", "OpenVMS", "Unix", "VM/CMS", "Atari ST", "HPFS", "Macintosh", "Z-System", "CP/M", "NTFS",
		"MVS", "VSE", "Acorn", "VFAT", "MVS (alternate)", "BeOS", "Tandem", "OS/400", "macOS",
	}
	if int(host) < len(names) {
		return names[host]
	}
	return fmt.Sprintf("host %d", host)
}

// flagsText names general purpose bits (APPNOTE 4.4.4).
func flagsText(flags uint16) string {
	var names []string
	for _, f := range [...]struct {
		bit  uint16
		name string
	}{
		{1 << 0, "encrypted"}, {1 << 3, "descriptor"}, {1 << 5, "patch"}, {1 << 6, "strong"}, {1 << 11, "UTF-8"}, {1 << 13, "masked"},
	} {
		if flags&f.bit != 0 {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("%04x", flags)
	}
	return fmt.Sprintf("%04x %s", flags, strings.Join(names, ","))
}

func (a *app) describeExtra(where string, f *headerFacts) {
	if f == nil {
		return
	}
	for _, x := range f.Extra {
		switch {
		case x.ID == "":
			fmt.Fprintf(a.out, "extra in %s: %d bytes that are no block: %s\n", where, x.Size, x.Text)
		case x.Text == "":
			fmt.Fprintf(a.out, "extra in %s: %s %s, %d bytes\n", where, x.ID, x.Name, x.Size)
		default:
			fmt.Fprintf(a.out, "extra in %s: %s %s, %d bytes: %s\n", where, x.ID, x.Name, x.Size, x.Text)
		}
	}
}

// dump shows bytes in hexadecimal, long ones in part.
func dump(b []byte) string {
	const most = 64
	if len(b) > most {
		return hex.EncodeToString(b[:most]) + "..."
	}
	return hex.EncodeToString(b)
}

// extraText names an extra field and says what is in it (APPNOTE 4.5 and 4.6, and Info-ZIP's
// extrafld.txt); in hexadecimal where that is not known or not as it should be.
func extraText(id uint16, b []byte, h *zipfile.Header) (name, text string) {
	for _, x := range extraFields {
		if x.id != id {
			continue
		}
		if x.text != nil {
			if text, ok := x.text(b, h); ok {
				return x.name, text
			}
		}
		return x.name, dump(b)
	}
	return "unknown", dump(b)
}

var extraFields = []struct {
	id   uint16
	name string
	text func(b []byte, h *zipfile.Header) (text string, ok bool)
}{
	{0x0001, "zip64", zip64Text},
	{0x0007, "AV info", nil},
	{0x0009, "OS/2", nil},
	{0x000a, "NTFS times", ntfsText},
	{0x000c, "OpenVMS", nil},
	{0x000d, "PKWARE Unix", unixOldText},
	{0x000f, "patch descriptor", nil},
	{0x0014, "PKCS#7 store", nil},
	{0x0015, "X.509 certificate of the entry", nil},
	{0x0016, "X.509 certificate of the directory", nil},
	{0x0017, "strong encryption", nil},
	{0x0019, "PKCS#7 recipients", nil},
	{0x07c8, "Macintosh", nil},
	{0x1986, "Pixar USD padding", nil},
	{0x2605, "ZipIt Macintosh", nil},
	{0x334d, "Info-ZIP Macintosh", nil},
	{0x4341, "Acorn/SparkFS", nil},
	{0x4453, "Windows NT security", nil},
	{0x4690, "POSZIP 4690", nil},
	{0x4704, "VM/CMS", nil},
	{0x470f, "MVS", nil},
	{0x4b46, "FWKCS MD5", nil},
	{0x4c41, "OS/2 access control", nil},
	{0x4d49, "Info-ZIP OpenVMS", nil},
	{0x4d63, "Macintosh SmartZIP", nil},
	{0x4f4c, "Xceed original location", nil},
	{0x554e, "Xceed Unicode", xceedText},
	{0x5356, "AOS/VS", nil},
	{0x5455, "extended timestamp", timestampText},
	{0x5855, "Info-ZIP Unix (first)", unixOldText},
	{0x6375, "Unicode comment", unicodeText(func(h *zipfile.Header) string { return h.Comment })},
	{0x6542, "BeOS", nil},
	{0x6854, "Theos", nil},
	{0x7075, "Unicode path", unicodeText(func(h *zipfile.Header) string { return h.Name })},
	{0x7441, "AtheOS", nil},
	{0x756e, "ASi Unix", asiText},
	{0x7855, "Info-ZIP Unix (second)", ids16Text},
	{0x7875, "Info-ZIP Unix (third)", idsText},
	{0x9901, "AES encryption", aesText},
	{0xa11e, "Apache Commons alignment", nil},
	{0xa220, "Microsoft OPC padding", nil},
	{0xcafe, "jar", func(b []byte, _ *zipfile.Header) (string, bool) { return "marks a jar", len(b) == 0 }},
	{0xd935, "Android alignment", nil},
	{0xfb4a, "SMS/QDOS", nil},
	{0xfd4a, "SMS/QDOS", nil},
}

func zip64Text(b []byte, h *zipfile.Header) (string, bool) {
	var parts []string
	for _, f := range [...]struct {
		name string
		used bool
	}{{"size", h.Size == 1<<32-1}, {"compressed size", h.CompressedSize == 1<<32-1}, {"header offset", h.HeaderOffset == 1<<32-1}} {
		if !f.used {
			continue
		}
		if len(b) < 8 {
			return "", false
		}
		parts = append(parts, fmt.Sprintf("%s %d", f.name, binary.LittleEndian.Uint64(b)))
		b = b[8:]
	}
	if h.Disk == 1<<16-1 && len(b) >= 4 {
		parts = append(parts, fmt.Sprintf("disk %d", binary.LittleEndian.Uint32(b)))
		b = b[4:]
	}
	if len(b) > 0 {
		parts = append(parts, "not needed: "+dump(b))
	}
	return strings.Join(parts, ", "), true
}

func unixTime(b []byte) string {
	return time.Unix(int64(int32(binary.LittleEndian.Uint32(b))), 0).UTC().Format(time.RFC3339)
}

func ntfsText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) < 4+4+24 || binary.LittleEndian.Uint16(b[4:]) != 1 {
		return "", false
	}
	var parts []string
	for i, name := range [...]string{"modified", "accessed", "created"} {
		const toUnix = 11644473600
		ticks := binary.LittleEndian.Uint64(b[8+8*i:])
		if ticks > 1<<63-1 {
			return "", false
		}
		parts = append(parts, name+" "+time.Unix(int64(ticks/1e7)-toUnix, int64(ticks%1e7)*100).UTC().Format(time.RFC3339Nano))
	}
	return strings.Join(parts, ", "), true
}

func timestampText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) == 0 {
		return "", false
	}
	flags := b[0]
	parts, rest := []string(nil), b[1:]
	for i, name := range [...]string{"modified", "accessed", "created"} {
		if flags&(1<<i) == 0 {
			continue
		}
		if len(rest) < 4 { // the directory has the first alone
			parts = append(parts, name+" in the local header")
			continue
		}
		parts = append(parts, name+" "+unixTime(rest))
		rest = rest[4:]
	}
	return strings.Join(parts, ", "), len(rest) == 0
}

func unixOldText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) < 8 {
		return "", false
	}
	text := fmt.Sprintf("accessed %s, modified %s", unixTime(b), unixTime(b[4:]))
	if len(b) >= 12 {
		text += fmt.Sprintf(", uid %d, gid %d", binary.LittleEndian.Uint16(b[8:]), binary.LittleEndian.Uint16(b[10:]))
	}
	return text, len(b) <= 12
}

func ids16Text(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) == 0 {
		return "ids in the local header", true
	}
	if len(b) != 4 {
		return "", false
	}
	return fmt.Sprintf("uid %d, gid %d", binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])), true
}

func idsText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) < 3 || b[0] != 1 {
		return "", false
	}
	b = b[1:]
	var ids [2]uint64
	for i := range ids {
		if len(b) == 0 || int(b[0]) > len(b)-1 || b[0] > 8 {
			return "", false
		}
		for j := int(b[0]); j > 0; j-- {
			ids[i] = ids[i]<<8 | uint64(b[j])
		}
		b = b[1+b[0]:]
	}
	return fmt.Sprintf("uid %d, gid %d", ids[0], ids[1]), len(b) == 0
}

func unicodeText(of func(h *zipfile.Header) string) func([]byte, *zipfile.Header) (string, bool) {
	return func(b []byte, h *zipfile.Header) (string, bool) {
		if len(b) < 5 || b[0] != 1 || !utf8.Valid(b[5:]) {
			return "", false
		}
		text := printable(string(b[5:]))
		if binary.LittleEndian.Uint32(b[1:]) != crc32.ChecksumIEEE([]byte(of(h))) {
			text += " (stale: its checksum is of something else)"
		}
		return text, true
	}
}

func asiText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) < 14 || binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[4:]) {
		return "", false
	}
	text := fmt.Sprintf("mode %o, uid %d, gid %d", binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[10:]), binary.LittleEndian.Uint16(b[12:]))
	if link := b[14:]; len(link) > 0 {
		text += ", link to " + printable(string(link))
	}
	return text, true
}

func xceedText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) < 6 || string(b[:4]) != "NUCX" {
		return "", false
	}
	n := int(binary.LittleEndian.Uint16(b[4:]))
	if 6+2*n > len(b) {
		return "", false
	}
	units := make([]uint16, n)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[6+2*i:])
	}
	return printable(string(utf16.Decode(units))), true
}

func aesText(b []byte, _ *zipfile.Header) (string, bool) {
	if len(b) != 7 || string(b[2:4]) != "AE" || b[4] < 1 || b[4] > 3 {
		return "", false
	}
	return fmt.Sprintf("AE-%d, %d bits, method %s", binary.LittleEndian.Uint16(b), 64+64*int(b[4]), zipfile.Method(binary.LittleEndian.Uint16(b[5:]))), true
}
