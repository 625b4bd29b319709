package main

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func manPage(t *testing.T) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitDone, run([]string{"man"}, nil, &stdout, &stderr), "%s", &stderr)
	assert.Empty(t, stderr.String())
	return stdout.String()
}

// TestMan: the page has every command and every flag.
func TestMan(t *testing.T) {
	t.Parallel()
	page := manPage(t)
	for _, title := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "COMMON FLAGS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES"} {
		assert.Equal(t, 1, strings.Count(page, `.SH "`+title+`"`+"\n"), title)
	}
	a := &app{out: newOutput(io.Discard), say: messages{w: io.Discard}}
	root := a.root(nil)
	flags := func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != "version" && !f.Hidden {
				assert.Contains(t, page, `\fB`+roff("--"+f.Name)+`\fR`, cmd.Name())
			}
		})
	}
	flags(root)
	for _, cmd := range root.Commands() {
		if cmd.Runnable() && !cmd.Hidden && cmd.Name() != "help" && cmd.Name() != "completion" {
			assert.Contains(t, page, ".SS \""+roff("zipcat "+cmd.Use)+"\"\n")
			flags(cmd)
		}
	}
	assert.Contains(t, page, ".SS \"zipcat completion bash | fish | powershell | zsh\"\n")
	assert.Contains(t, page, ".TP\n.B 5\na password is missing or wrong\n")
	assert.NotContains(t, page, "\n'")
}

func TestManRoff(t *testing.T) {
	t.Parallel()
	var m manual
	m.macro("SS", `a "b" \c`)
	m.paragraphs("'x' -- .y\n.z \\n ~^`\n\n  a  first\n  b  second\n\n  $ code\n    more\n")
	assert.Equal(t, `.SS "a \(dqb\(dq \(rsc"
.PP
\&\(aqx\(aq \-\- .y
\&.z \(rsn \(ti\(ha\(ga
.TP
.B a
first
.TP
.B b
second
.PP
.EX
  $ code
    more
.EE
`, m.String())
}

// TestManFormats: groff takes the page without a warning.
func TestManFormats(t *testing.T) {
	t.Parallel()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-rLL=78n", "-P-cbou")
	cmd.Stdin = strings.NewReader(manPage(t))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	assert.Empty(t, stderr.String())
	assert.Contains(t, stdout.String(), "ZIPFILE_BACKEND")
	assert.Contains(t, stdout.String(), "zipcat x -C out app.jar 'assets/**'")
}
