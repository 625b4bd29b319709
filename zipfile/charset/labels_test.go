package charset

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// The registries agree with each label of the table, and the table with each name of theirs.
func TestLabelsAgainstRegistries(t *testing.T) {
	windows := map[string]string{"cp932": "shift_jis", "cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "cp54936": "gb18030", "cp65001": "utf-8"}
	seen := map[string]bool{}
	for _, c := range labelled() {
		for _, label := range strings.Fields(c.labels) {
			require.False(t, seen[label], label)
			seen[label] = true
			name := label
			if windows[label] != "" {
				name = windows[label]
			}
			want, err := htmlindex.Get(name)
			if err != nil {
				want, err = ianaindex.IANA.Encoding(name)
			}
			require.NoError(t, err, label)
			switch name {
			case "hz-gb-2312": // not for browsers
				want = simplifiedchinese.HZGB2312
			case "us", "cp367", "csascii", "ibm367", "iso-ir-6", "iso646-us", "iso_646.irv:1991", "ansi_x3.4-1986":
				want = charmap.Windows1252 // as all other labels of ASCII
			}
			require.NotNil(t, want, label)
			got, ok := ByLabel(" " + strings.ToUpper(label))
			assert.True(t, ok, label)
			assert.Equal(t, want, got, label)
		}
	}
	for _, enc := range slices.Concat(charmap.All, japanese.All, korean.All, simplifiedchinese.All, traditionalchinese.All) {
		for _, registry := range []func(encoding.Encoding) (string, error){htmlindex.Name, ianaindex.MIME.Name, ianaindex.IANA.Name} {
			name, err := registry(enc)
			if err != nil || name == "" || name == "replacement" {
				continue
			}
			_, ok := ByLabel(name)
			assert.True(t, ok, name)
		}
	}
	for _, c := range candidates() {
		enc, ok := ByLabel(c.label)
		assert.True(t, ok && enc == c.enc, c.label)
	}
}

func TestNoLabels(t *testing.T) {
	for _, label := range []string{"", " ", "utf", "iso-8859-1 l1", "cp", "437 cp437", "replacement", "iso-2022-kr", "nonsense"} {
		_, ok := ByLabel(label)
		assert.False(t, ok, label)
	}
}
