package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestServeBrowser: a browser runs the scripts of a page, which are sent as they are stored, and
// follows the links of an index page.
func TestServeBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	switch {
	case testing.Short():
		t.Skip("takes seconds")
	case browser == "":
		t.Skip("neither chromium nor google-chrome is installed")
	}
	const script = `
		const say = (id, text) => { document.getElementById(id).textContent = text }
		say("script", "ran as " + document.characterSet)
		fetch("data.json").then(r => r.json()).then(d => say("data", d.text))
		say("style", getComputedStyle(document.body).getPropertyValue("--found"))`
	padding := "/*" + strings.Repeat(" padding", 100) + "*/"
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{
		deflated("index.html", []byte(`<!DOCTYPE html><link rel="stylesheet" href="a%20b.css"><body><p id=script><p id=data><p id=style><script src="s.js"></script>`)),
		deflated("s.js", []byte(script+padding)),
		deflated("a b.css", []byte("body { --found: styled }"+padding)),
		{Name: "data.json", Data: []byte(`{"text": "größer"}`)},
		{Name: "d/<i>f</i>"},
	}})
	srv := httptest.NewServer(s)
	defer srv.Close()
	for path, want := range map[string][]string{
		"/":   {`<p id="script">ran as UTF-8</p>`, `<p id="data">größer</p>`, `<p id="style">styled</p>`},
		"/d/": {`<a href="./%3Ci%3Ef%3C/"><bdi>&lt;i&gt;f&lt;/</bdi></a>`},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--user-data-dir="+t.TempDir(),
			"--virtual-time-budget=5000", "--dump-dom", srv.URL+path)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Run(), "%s", &stderr)
		for _, text := range want {
			assert.Contains(t, stdout.String(), text)
		}
	}
	assert.Empty(t, s.stderr.String())
}
