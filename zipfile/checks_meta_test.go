package zipfile_test

import (
	"encoding/binary"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// openEntry returns the only entry of an archive that Strict accepts.
func openEntry(t *testing.T, e ziptest.Entry) zipfile.Entry {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(archiveOf(e).Bytes()), &zipfile.Options{Checks: zipfile.Strict})
	require.NoError(t, err)
	assert.Empty(t, z.Findings())
	return z.At(0)
}

func TestChecksModes(t *testing.T) {
	t.Parallel()
	const unix, fat, ntfs, vfat, macOS, amiga = ziptest.HostUnix, ziptest.HostFAT, ziptest.HostNTFS, ziptest.HostVFAT, ziptest.HostMacOS, 1
	const link, dosDir = 0o120777 << 16, 0x10
	for _, tt := range []struct {
		name  string
		entry string
		data  string
		host  uint8
		attr  uint32
		want  fs.FileMode
	}{
		{"unix file", "a", "", unix, 0o100640 << 16, 0o640},
		{"unix, permissions alone", "a", "", unix, 0o600 << 16, 0o600},
		{"unix, no permissions", "a", "", unix, 0o100000 << 16, 0},
		{"unix, set-id and sticky", "a", "", unix, 0o107755 << 16, 0o755 | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky},
		{"unix link", "a", "b", unix, link, 0o777 | fs.ModeSymlink},
		{"unix pipe", "a", "", unix, 0o010644 << 16, 0o644 | fs.ModeNamedPipe},
		{"unix block device", "a", "", unix, 0o060644 << 16, 0o644 | fs.ModeDevice},
		{"unix character device", "a", "", unix, 0o020644 << 16, 0o644 | fs.ModeDevice | fs.ModeCharDevice},
		{"unix socket", "a", "", unix, 0o140644 << 16, 0o644 | fs.ModeSocket},
		{"unix directory", "d/", "", unix, 0o040700<<16 | dosDir, 0o700 | fs.ModeDir},
		{"unix directory without a slash", "d", "", unix, 0o040700 << 16, 0o700 | fs.ModeDir},
		{"unix directory by its slash alone", "d/", "", unix, 0o100700 << 16, 0o700 | fs.ModeDir},
		{"unix directory with contents", "d", "contents", unix, 0o040700 << 16, 0o700},
		{"unix, unknown", "a", "", unix, 0, 0o644},
		{"unix directory, unknown", "d/", "", unix, 0, 0o755 | fs.ModeDir},
		{"macOS", "a", "", macOS, 0o100600 << 16, 0o600},
		{"macOS link", "a", "b", macOS, link, 0o777 | fs.ModeSymlink},
		{"macOS, unknown", "a", "", macOS, 0, 0o644},
		{"FAT", "a", "", fat, 0x20, 0o644},
		{"FAT directory", "d/", "", fat, dosDir, 0o755 | fs.ModeDir},
		{"FAT directory without a slash", "d", "", fat, dosDir, 0o755 | fs.ModeDir},
		{"FAT directory without its bit", "d/", "", fat, 0, 0o755 | fs.ModeDir},
		{"FAT directory with contents", "d", "contents", fat, dosDir, 0o644},
		{"FAT, link bits", "a", "b", fat, link, 0o644},
		{"FAT, set-id bits", "a", "", fat, 0o106777 << 16, 0o644},
		{"FAT, bits of a Unix directory", "a", "", fat, 0o040700 << 16, 0o644},
		{"NTFS, link bits", "a", "b", ntfs, link, 0o644},
		{"NTFS directory", "d/", "", ntfs, dosDir, 0o755 | fs.ModeDir},
		{"VFAT, link bits", "a", "b", vfat, link, 0o644},
		{"another host, link bits", "a", "b", amiga, link, 0o644},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := openEntry(t, ziptest.Entry{Name: tt.entry, Data: []byte(tt.data), Central: func(h *ziptest.CentralHeader) {
				h.VersionMadeBy, h.ExternalAttributes = uint16(tt.host)<<8|20, tt.attr
			}})
			assert.Equal(t, tt.want, e.Mode(), "%v, expected %v", e.Mode(), tt.want)
			assert.Equal(t, tt.want.IsDir(), e.IsDir())
		})
	}
}

func TestChecksTimes(t *testing.T) {
	t.Parallel()
	dos := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	ut := time.Date(2011, 12, 13, 14, 15, 17, 0, time.UTC)
	ux := time.Date(2012, 12, 13, 14, 15, 19, 0, time.UTC)
	nt := time.Date(2013, 12, 13, 14, 15, 21, 123456700, time.UTC)
	old := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	seconds := func(v int64) []byte { return binary.LittleEndian.AppendUint32([]byte{1}, uint32(v)) }
	ticks := func(v uint64) []byte {
		b := binary.LittleEndian.AppendUint64([]byte{0, 0, 0, 0, 1, 0, 24, 0}, v)
		return ziptest.Extra(ziptest.ExtraNTFS, append(b, make([]byte, 16)...)...)
	}
	join := func(fields ...[]byte) (all []byte) {
		for _, f := range fields {
			all = append(all, f...)
		}
		return all
	}
	date := func(year, month, day int) uint16 { return uint16((year-1980)<<9 | month<<5 | day) }
	clock := func(hour, minute, second int) uint16 { return uint16(hour<<11 | minute<<5 | second/2) }
	const timestamp = ziptest.ExtraExtendedTimestamp

	for _, tt := range []struct {
		name       string
		extra      []byte
		date, time uint16
		want       time.Time // zero: unknown
	}{
		{"DOS", nil, date(2001, 2, 3), clock(4, 5, 6), dos},
		{"DOS, first", nil, date(1980, 1, 1), 0, time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"DOS, last", nil, date(2107, 12, 31), clock(23, 59, 58), time.Date(2107, 12, 31, 23, 59, 58, 0, time.UTC)},
		{"DOS, leap day", nil, date(2000, 2, 29), clock(1, 2, 4), time.Date(2000, 2, 29, 1, 2, 4, 0, time.UTC)},
		{"DOS, in no summer time", nil, date(2024, 3, 31), clock(2, 30, 0), time.Date(2024, 3, 31, 2, 30, 0, 0, time.UTC)},
		{"DOS, zero", nil, 0, 0, time.Time{}},
		{"DOS, date zero", nil, 0, clock(4, 5, 6), time.Time{}},
		{"DOS, month 0", nil, date(2001, 0, 3), 0, time.Time{}},
		{"DOS, month 13", nil, date(2001, 13, 3), 0, time.Time{}},
		{"DOS, day 0", nil, date(2001, 2, 0), 0, time.Time{}},
		{"DOS, 30 February", nil, date(2001, 2, 30), 0, time.Time{}},
		{"DOS, 29 February 2001", nil, date(2001, 2, 29), 0, time.Time{}},
		{"DOS, hour 24", nil, date(2001, 2, 3), clock(24, 0, 0), time.Time{}},
		{"DOS, minute 60", nil, date(2001, 2, 3), clock(4, 60, 0), time.Time{}},
		{"DOS, second 60", nil, date(2001, 2, 3), clock(4, 5, 60), time.Time{}},
		{"DOS, all ones", nil, 0xffff, 0xffff, time.Time{}},

		{"extended", ziptest.ExtendedTimestamp(ut), date(2001, 2, 3), clock(4, 5, 6), ut},
		{"extended over no DOS time", ziptest.ExtendedTimestamp(ut), 0, 0, ut},
		{"extended, 0", ziptest.ExtendedTimestamp(old), date(2001, 2, 3), clock(4, 5, 6), old},
		{"extended, -1", ziptest.Extra(timestamp, seconds(-1)...), date(2001, 2, 3), 0, old.Add(-time.Second)},
		{"extended, last", ziptest.Extra(timestamp, seconds(1<<31-1)...), 0, 0, time.Date(2038, 1, 19, 3, 14, 7, 0, time.UTC)},
		{"extended, first", ziptest.Extra(timestamp, seconds(-1<<31)...), 0, 0, time.Date(1901, 12, 13, 20, 45, 52, 0, time.UTC)},
		{"extended, of access alone", ziptest.Extra(timestamp, 2, 1, 2, 3, 4), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"extended, cut off", ziptest.Extra(timestamp, 1, 2, 3), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"extended, empty", ziptest.Extra(timestamp), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"old Unix", ziptest.OldUnix(old, ux), date(2001, 2, 3), clock(4, 5, 6), ux},
		{"old Unix, cut off", ziptest.Extra(ziptest.ExtraOldUnix, 1, 2, 3, 4, 5, 6, 7), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"NTFS", ziptest.NTFSTime(nt, old, old), date(2001, 2, 3), clock(4, 5, 6), nt},
		{"NTFS, 1601", ticks(1), 0, 0, time.Date(1601, 1, 1, 0, 0, 0, 100, time.UTC)},
		{"NTFS, zero", ticks(0), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"NTFS, all ones", ticks(1<<64 - 1), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"NTFS, no attribute", ziptest.Extra(ziptest.ExtraNTFS, 0, 0, 0, 0), date(2001, 2, 3), clock(4, 5, 6), dos},
		{"NTFS, cut off", ziptest.Extra(ziptest.ExtraNTFS, 0, 0, 0, 0, 1, 0, 24, 0, 1, 2, 3), date(2001, 2, 3), clock(4, 5, 6), dos},

		{"NTFS over all", join(ziptest.OldUnix(old, ux), ziptest.ExtendedTimestamp(ut), ziptest.NTFSTime(nt, old, old)), date(2001, 2, 3), clock(4, 5, 6), nt},
		{"extended over old Unix", join(ziptest.OldUnix(old, ux), ziptest.ExtendedTimestamp(ut)), date(2001, 2, 3), clock(4, 5, 6), ut},
		{"old Unix over DOS behind a useless NTFS", join(ticks(0), ziptest.OldUnix(old, ux)), date(2001, 2, 3), clock(4, 5, 6), ux},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := openEntry(t, ziptest.Entry{Name: "a", Extra: tt.extra, Header: func(h *ziptest.Header) { h.Date, h.Time = tt.date, tt.time }})
			got := e.Modified()
			assert.True(t, tt.want.Equal(got), "%v, expected %v", got, tt.want)
			assert.Equal(t, tt.want.IsZero(), got.IsZero())
			assert.Equal(t, time.UTC, got.Location())
		})
	}
}
