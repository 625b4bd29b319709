package zipfile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestModifiedIn(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*3600)
	when := time.Date(2021, 10, 31, 1, 30, 2, 0, time.UTC)
	dos := time.Date(2020, 1, 2, 3, 4, 6, 0, time.UTC)
	for name, c := range map[string]struct {
		extra []byte
		want  time.Time
	}{
		"dos":              {nil, time.Date(2020, 1, 2, 3, 4, 6, 0, zone)},
		"ntfs":             {ziptest.NTFSTime(when, when, when), when},
		"extended":         {ziptest.ExtendedTimestamp(when), when},
		"old unix":         {ziptest.OldUnix(when, when), when},
		"only access time": {ziptest.Extra(ziptest.ExtraExtendedTimestamp, 2, 0, 0, 0, 0), time.Date(2020, 1, 2, 3, 4, 6, 0, zone)},
		"overrun":          {[]byte{0x55, 0x54, 9, 0, 1}, time.Date(2020, 1, 2, 3, 4, 6, 0, zone)},
	} {
		z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{{Name: "f", Modified: dos, CentralExtra: c.extra}}}.Bytes()), nil)
		require.NoError(t, err)
		assert.True(t, c.want.Equal(z.At(0).ModifiedIn(zone)), "%s: %v", name, z.At(0).ModifiedIn(zone))
		assert.True(t, z.At(0).Modified().Equal(z.At(0).ModifiedIn(time.UTC)), name)
	}
}
