package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

const signedJar = "../../testdata/signed.jar"

// rewritten is the signed jar with its entries as change gives them, nil for none.
func rewritten(t *testing.T, change func(e *ziptest.Entry) *ziptest.Entry, more ...ziptest.Entry) []byte {
	t.Helper()
	z, err := zipfile.Open(signedJar, nil)
	require.NoError(t, err)
	defer z.Close()
	var a ziptest.Archive
	for e := range z.Entries() {
		data, err := e.ReadAll()
		require.NoError(t, err)
		if c := change(&ziptest.Entry{Name: e.Name(), Data: data, Method: ziptest.Deflate}); c != nil {
			a.Entries = append(a.Entries, *c)
		}
	}
	a.Entries = append(a.Entries, more...)
	return a.Bytes()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	same := func(e *ziptest.Entry) *ziptest.Entry { return e }
	changed := func(name string, change func(*ziptest.Entry)) func(e *ziptest.Entry) *ziptest.Entry {
		return func(e *ziptest.Entry) *ziptest.Entry {
			if e.Name == name {
				change(e)
			}
			return e
		}
	}
	without := func(part string) func(e *ziptest.Entry) *ziptest.Entry {
		return func(e *ziptest.Entry) *ziptest.Entry {
			if strings.Contains(e.Name, part) {
				return nil
			}
			return e
		}
	}
	extra := ziptest.Entry{Name: "extra.txt", Data: []byte("x")}
	for name, c := range map[string]struct {
		jar            []byte
		flags          []string
		exit           int
		state          string
		entry, verdict string
	}{
		"packed anew":          {rewritten(t, same), nil, exitDone, "signed", "hello.txt", "signed"},
		"an entry changed":     {rewritten(t, changed("hello.txt", func(e *ziptest.Entry) { e.Data[0] ^= 1 })), nil, exitEntry, "bad", "hello.txt", "bad"},
		"another is whole":     {rewritten(t, changed("hello.txt", func(e *ziptest.Entry) { e.Data[0] ^= 1 })), nil, exitEntry, "bad", "docs/long.txt", "signed"},
		"an entry added":       {rewritten(t, same, extra), nil, exitDone, "signed", "extra.txt", "unsigned"},
		"added, complete":      {rewritten(t, same, extra), []string{"--complete"}, exitEntry, "signed", "extra.txt", "unsigned"},
		"an entry removed":     {rewritten(t, without("about")), nil, exitDone, "signed", "docs/about.txt", "missing"},
		"removed, complete":    {rewritten(t, without("about")), []string{"--complete"}, exitEntry, "signed", "docs/about.txt", "missing"},
		"signature changed":    {rewritten(t, changed("META-INF/DEMO.SF", func(e *ziptest.Entry) { e.Data[len(e.Data)-9] ^= 1 })), nil, exitEntry, "bad", "hello.txt", "bad"},
		"signature removed":    {rewritten(t, without("META-INF/DEMO.")), nil, exitNoMatch, "unsigned", "", ""},
		"not from these roots": {rewritten(t, same), []string{"--roots", "testdata/roots.pem"}, exitNoMatch, "unsigned", "hello.txt", "unsigned"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := run(append(append([]string{"verify", "--json"}, c.flags...), "-"), bytes.NewReader(c.jar), &stdout, &stderr)
			assert.Equal(t, c.exit, code, "%s", &stderr)
			var got verifiedObject
			require.NoError(t, json.Unmarshal(stdout.Bytes(), &got), "%s", &stderr)
			assert.Equal(t, c.state, string(got.State))
			found := c.entry == ""
			for _, e := range got.Entries {
				if e.Name == c.entry {
					found = true
					assert.Equal(t, c.verdict, string(e.State))
				}
			}
			assert.True(t, found, "%s is not told: %s", c.entry, &stdout)
			if c.state == "bad" {
				assert.Contains(t, stderr.String(), "zipcat: standard input: ")
			}

			var text bytes.Buffer
			assert.Equal(t, c.exit, run(append(append([]string{"verify"}, c.flags...), "-"), bytes.NewReader(c.jar), &text, &stderr))
			assert.Contains(t, text.String(), "standard input: "+c.state)
		})
	}
}
