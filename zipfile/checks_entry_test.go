package zipfile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestChecksLocalHeader(t *testing.T) { runChecks(t, localHeaderChecks()) }

// localHeaderChecks: local headers against the directory, which decides (ZipDiff, classes A1 to
// A5; Android's master key faults).
func localHeaderChecks() []check {
	type L = ziptest.LocalHeader
	type C = ziptest.CentralHeader
	local := func(f func(*L)) ziptest.Archive {
		e := deflatedEntry("b.txt")
		e.Local = f
		return archiveOf(storedEntry("a.txt"), e)
	}
	central := func(f func(*C)) ziptest.Archive {
		e := storedEntry("b.txt")
		e.Central = f
		return archiveOf(storedEntry("a.txt"), e)
	}
	streamed := func(f func(*L)) ziptest.Archive {
		e := deflatedEntry("b.txt")
		e.Local, e.Descriptor = f, ziptest.Signed32
		return archiveOf(storedEntry("a.txt"), e)
	}
	at := atLocal("b.txt")
	differs := func(name string, a ziptest.Archive) check {
		return checkRow(name, a, finds("local-header", at), refuses("format", at))
	}
	agrees := func(name string, a ziptest.Archive) check { return checkRow(name, a, accepts(), accepts()) }
	spoiled := func(name string, a ziptest.Archive) check {
		return checkRow(name, a, spoils("ok format", "", at), refuses("format", at))
	}
	const all = 0xffffffff

	return []check{
		differs("name", local(func(h *L) { h.Name = "c.txt" })),
		differs("name in letter case", local(func(h *L) { h.Name = "B.txt" })),
		differs("longer name", local(func(h *L) { h.Name = "b.txt.exe" })),
		differs("no name", local(func(h *L) { h.Name = "" })),
		differs("name with a control byte", local(func(h *L) { h.Name = "b\x1b[31m\n" })),
		differs("method", local(func(h *L) { h.Method = ziptest.Store })),
		differs("unknown method", local(func(h *L) { h.Method = 0x1234 })),
		differs("encrypted", local(func(h *L) { h.Flags |= ziptest.FlagEncrypted })),
		differs("UTF-8 flag", local(func(h *L) { h.Flags |= ziptest.FlagUTF8 })),
		differs("CRC", local(func(h *L) { h.CRC32++ })),
		differs("size", local(func(h *L) { h.Size++ })),
		differs("compressed size", local(func(h *L) { h.CompressedSize-- })),
		differs("size just below all ones", local(func(h *L) { h.Size = all - 1 })),
		differs("bit 3 in the local header alone", local(func(h *L) { h.Flags |= ziptest.FlagDescriptor; h.Size, h.CompressedSize, h.CRC32 = 0, 0, 0 })),
		differs("bit 3 in the directory alone", central(func(h *C) { h.Flags |= ziptest.FlagDescriptor })),
		differs("zip64 size", local(func(h *L) {
			h.Zip64 = []uint64{uint64(h.Size) + 1, uint64(h.CompressedSize)}
			h.Size, h.CompressedSize = all, all
		})),
		differs("zip64 compressed size", local(func(h *L) { h.Zip64 = []uint64{uint64(h.Size), 7}; h.Size, h.CompressedSize = all, all })),

		// sloppy writers: see the directory
		agrees("size 0", local(func(h *L) { h.Size = 0 })),
		agrees("compressed size 0", local(func(h *L) { h.CompressedSize = 0 })),
		agrees("CRC 0", local(func(h *L) { h.CRC32 = 0 })),
		agrees("sizes and CRC 0", local(func(h *L) { h.Size, h.CompressedSize, h.CRC32 = 0, 0, 0 })),
		agrees("size all ones", local(func(h *L) { h.Size = all })),
		agrees("sizes and CRC all ones", local(func(h *L) { h.Size, h.CompressedSize, h.CRC32 = all, all, all })),
		agrees("zip64 sizes 0", local(func(h *L) { h.Zip64 = []uint64{0, 0}; h.Size, h.CompressedSize = all, all })),
		agrees("bit 3, sizes and CRC there", streamed(func(h *L) { h.Size, h.CompressedSize, h.CRC32 = 162, 30, 12345 })),
		agrees("bit 3, size alone there", streamed(func(h *L) { h.Size = 162 })),
		agrees("bit 3, all ones", streamed(func(h *L) { h.Size, h.CompressedSize, h.CRC32 = all, all, all })),
		agrees("time", local(func(h *L) { h.Date, h.Time = 0, 0xffff })),
		agrees("version", local(func(h *L) { h.VersionNeeded = 63 })),

		spoiled("signature", local(func(h *L) { h.Signature++ })),
		spoiled("missing", local(ziptest.NoLocal)),
		spoiled("name longer than the file", local(func(h *L) { h.NameLength = 65535 })),
		spoiled("extra field longer than the file", local(func(h *L) { h.ExtraLength = 65535 })),
	}
}

func TestChecksDescriptor(t *testing.T) {
	type E = ziptest.Entry
	type D = ziptest.Descriptor
	var rows []check
	for _, form := range []struct {
		name string
		f    func(*D)
	}{
		{"signed", ziptest.Signed32}, {"unsigned", ziptest.Unsigned32}, {"missing", ziptest.MissingDescriptor},
		{"signed, 64 bits", ziptest.Signed64}, {"unsigned, 64 bits", ziptest.Unsigned64},
	} {
		for _, e := range []E{storedEntry("b.txt"), deflatedEntry("b.txt"), {Name: "b.txt"}, {Name: "b/"}} {
			e.Descriptor = form.f
			name := map[bool]string{false: "empty", true: zipfile.Method(e.Method).String()}[len(e.Data) > 0] + map[bool]string{true: " directory"}[e.Name == "b/"] + ", " + form.name
			rows = append(rows,
				checkRow(name, archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt")), accepts(), accepts()),
				checkRow(name+", last", archiveOf(storedEntry("a.txt"), e), accepts(), accepts()))
			e.Zip64 = ziptest.Zip64Always
			rows = append(rows, checkRow(name+", zip64", archiveOf(e, storedEntry("c.txt")), accepts(), accepts()))
		}
	}
	for _, lie := range []struct {
		name string
		f    func(*D)
	}{
		{"CRC", func(d *D) { d.CRC32++ }}, {"compressed size", func(d *D) { d.CompressedSize++ }}, {"size", func(d *D) { d.Size-- }},
		{"CRC 0", func(d *D) { d.CRC32 = 0 }}, {"sizes 0", func(d *D) { d.CompressedSize, d.Size = 0, 0 }},
	} {
		for name, form := range map[string]func(*D){"signed": ziptest.Signed32, "unsigned": ziptest.Unsigned32, "signed, 64 bits": ziptest.Signed64, "unsigned, 64 bits": ziptest.Unsigned64} {
			for _, e := range []E{storedEntry("b.txt"), deflatedEntry("b.txt")} {
				e.Descriptor = func(d *D) { form(d); lie.f(d) }
				rows = append(rows, checkRow(lie.name+" differs, "+name+", "+zipfile.Method(e.Method).String(), archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt")),
					finds("data-descriptor", atDescriptor("b.txt")), refuses("format", atDescriptor("b.txt"))))
			}
		}
	}
	runChecks(t, rows)
}

func TestChecksContents(t *testing.T) { runChecks(t, contentsChecks()) }

// contentsChecks: what the data of an entry are against what the directory declares.
func contentsChecks() []check {
	type E = ziptest.Entry
	type H = ziptest.Header
	with := func(e E, f func(*H)) ziptest.Archive {
		e.Header = f
		return archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt"))
	}
	str, def := storedEntry("b.txt"), deflatedEntry("b.txt")
	wrong := func(name, kind string, a ziptest.Archive) check {
		return checkRow(name, a, spoils("ok "+kind+" ok", "", atData("b.txt")), spoils("ok "+kind+" ok", "", atData("b.txt")))
	}
	impossible := func(name string, a ziptest.Archive) check {
		return checkRow(name, a, spoils("ok size ok", "", atRecord("b.txt")), refuses("format"))
	}
	bomb := func(name string, a ziptest.Archive) check {
		o := spoils("ok size ok", "", atRecord("b.txt"))
		return checkRow(name, a, o, o)
	}
	// A final block of stored bytes.
	block := func(s string) string {
		return "\x01" + string([]byte{byte(len(s)), 0, ^byte(len(s)), 0xff}) + s
	}
	deflate := func(data, raw string) E {
		return E{Name: "b.txt", Method: ziptest.Deflate, Data: []byte(data), Raw: []byte(raw)}
	}
	large := E{Name: "b.txt", Method: ziptest.Deflate, Zeros: 1<<20 + 1000}
	left := func(name string, e E) check {
		return checkRow(name, archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt")), finds("trailing-data", atData("b.txt")), spoils("ok data ok", "", atData("b.txt")))
	}
	blocked := func(n uint32) func(*H) { return func(h *H) { h.Size = n } }

	return []check{
		checkRow("stored block", archiveOf(deflate("hello", block("hello"))), accepts(), accepts()),
		checkRow("nothing, stored", archiveOf(E{Name: "b.txt"}), accepts(), accepts()),
		checkRow("nothing, deflated", archiveOf(E{Name: "b.txt", Method: ziptest.Deflate}), accepts(), accepts()),
		checkRow("large, deflated", archiveOf(large), accepts(), accepts()),
		checkRow("large, stored", archiveOf(E{Name: "b.txt", Data: []byte("large"), Zeros: 4<<20 + 1000}), accepts(), accepts()),

		wrong("CRC, stored", "checksum", with(str, func(h *H) { h.CRC32++ })),
		wrong("CRC, deflated", "checksum", with(def, func(h *H) { h.CRC32++ })),
		wrong("CRC, large", "checksum", with(large, func(h *H) { h.CRC32++ })),
		wrong("CRC 0, stored", "checksum", with(str, func(h *H) { h.CRC32 = 0 })),
		wrong("CRC 0, deflated", "checksum", with(def, func(h *H) { h.CRC32 = 0 })),
		wrong("CRC all ones", "checksum", with(str, func(h *H) { h.CRC32 = 0xffffffff })),
		wrong("CRC of nothing", "checksum", with(E{Name: "b.txt"}, func(h *H) { h.CRC32 = 1 })),
		wrong("more than declared", "size", with(def, func(h *H) { h.Size-- })),
		wrong("something for nothing", "size", with(def, func(h *H) { h.Size = 0 })),
		wrong("a thousand times more than declared", "size", with(large, func(h *H) { h.Size = 100 })),
		wrong("less than declared", "size", with(def, func(h *H) { h.Size++ })),
		wrong("much less than declared", "size", with(def, func(h *H) { h.Size = 20000 })),
		wrong("more than declared, large", "size", with(large, func(h *H) { h.Size-- })),
		wrong("less than declared, large", "size", with(large, func(h *H) { h.Size++ })),
		wrong("nothing for something", "size", with(deflate("", "\x03\x00"), func(h *H) { h.Size = 9 })),
		wrong("block of type 3", "data", with(deflate("hello", "\x07hello"), nil)),
		wrong("distance before the start", "data", with(deflate("hello", "\x03\x02\x00\x00\x00"), nil)),
		wrong("stored block of two lengths", "data", with(deflate("hello", "\x01\x05\x00\x05\x00hello"), nil)),
		wrong("text", "data", with(deflate("hello", "no deflate stream"), nil)),
		wrong("cut off by 1 byte", "data", with(deflate("hello", block("hello")[:9]), nil)),
		wrong("cut off before its final block", "data", with(deflate("hello", "\x00"+block("hello")[1:]), nil)),
		wrong("cut off, large", "data", with(large, func(h *H) { h.CompressedSize -= 9 })),

		left("1 byte left", deflate("hello", block("hello")+"x")),
		left("NUL left", deflate("hello", block("hello")+"\x00")),
		left("descriptor counted in", deflate("hello", block("hello")+"PK\x07\x08............")),
		left("a stream left", deflate("hello", block("hello")+block("world"))),
		left("200000 bytes left", deflate("hello", block("hello")+string(make([]byte, 200000)))),

		impossible("stored, size larger", with(str, func(h *H) { h.Size++ })),
		impossible("stored, size smaller", with(str, func(h *H) { h.Size-- })),
		impossible("stored, size 0", with(str, func(h *H) { h.Size = 0 })),
		impossible("stored, compressed size 0", with(E{Name: "b.txt"}, func(h *H) { h.Size = 9 })),

		// Found before anything is decoded, so in the directory.
		bomb("deflate, 1032:1 and a byte more", with(deflate("hello", block("hello")), blocked(1032*10+1))),
		bomb("deflate, 1032:1 and 1032 more", with(deflate("hello", block("hello")), blocked(1032*11))),
		bomb("deflate, 4 GiB of 10 bytes", with(deflate("hello", block("hello")), blocked(0xfffffffe))),
		bomb("no byte of data", with(deflate("hello", ""), nil)),
		wrong("deflate, 1032:1", "size", with(deflate("hello", block("hello")), blocked(1032*10))),
	}
}

func TestChecksUnreadable(t *testing.T) {
	type E = ziptest.Entry
	only := func(name, kind string, e E) check {
		o := spoils("ok "+kind+" ok", "", atRecord("b.txt"))
		return checkRow(name, archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt")), o, o)
	}
	method := func(m uint16) E { return E{Name: "b.txt", Method: m, Data: []byte("hello"), Raw: []byte("whatever")} }
	runChecks(t, []check{
		only("encrypted, stored", "password", E{Name: "b.txt", Data: []byte("hello"), Raw: []byte("12 bytes of hhello"), Flags: ziptest.FlagEncrypted}),
		only("encrypted, deflated", "password", E{Name: "b.txt", Data: []byte("hello"), Raw: []byte("12 bytes of hhello"), Method: ziptest.Deflate, Flags: ziptest.FlagEncrypted}),
		only("encrypted, empty", "password", E{Name: "b.txt", Raw: []byte("12 bytes of h"), Flags: ziptest.FlagEncrypted}),
		only("strong encryption", "method", E{Name: "b.txt", Data: []byte("hello"), Flags: ziptest.FlagEncrypted | ziptest.FlagStrong}),
		only("method 77", "method", method(77)),
		only("method 97", "method", method(97)),
		only("method 65535", "method", method(65535)),
		checkRow("encrypted in the directory alone", archiveOf(E{Name: "a.txt", Data: []byte("hello"), Central: func(h *ziptest.CentralHeader) { h.Flags |= ziptest.FlagEncrypted }}), spoils("password", ""), refuses("format")),
	})

	t.Run("the method is named", func(t *testing.T) {
		z, err := zipfile.New(backend.Bytes(archiveOf(method(77), method(97)).Bytes()), nil)
		require.NoError(t, err)
		for i, word := range []string{"77", "97"} {
			_, err := z.At(i).ReadAll()
			assert.ErrorContains(t, err, word)
		}
	})
}
