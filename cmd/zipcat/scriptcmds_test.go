//go:build unix || windows

package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"zipcat.dev/zipfile/ziptest"
)

// exits CODE COMMAND ARG...: runs a command that must end with that exit code. Its output goes
// to the files 1 and 2, its input comes from the file stdin if there is one. The
// argument >FILE sends standard output to FILE instead.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	var stdout, stderr bytes.Buffer
	cmd := command(ts, args[1])
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	for _, arg := range args[2:] {
		if name, ok := strings.CutPrefix(arg, ">"); ok {
			f, err := os.OpenFile(ts.MkAbs(name), os.O_WRONLY, 0)
			ts.Check(err)
			defer f.Close()
			cmd.Stdout = f
			continue
		}
		cmd.Args = append(cmd.Args, arg)
	}
	if f, err := os.Open(ts.MkAbs("stdin")); err == nil {
		defer f.Close()
		cmd.Stdin = f
	}
	ended(ts, cmd, cmd.Run(), args[0], &stdout, &stderr)
}

// command makes a command that runs where the script does.
func command(ts *testscript.TestScript, name string) *exec.Cmd {
	path, err := exec.LookPath(name)
	ts.Check(err)
	cmd := &exec.Cmd{Path: path, Args: []string{name}, Dir: ts.MkAbs(".")}
	for _, key := range []string{"PATH", "TZ", "ZIPFILE_BACKEND", "TMPDIR", "HOME", "SystemRoot", "GOCOVERDIR", "GORACE"} {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	return cmd
}

// ended checks the exit code of a command that ended with err, and leaves its output in the files 1 and 2.
func ended(ts *testscript.TestScript, cmd *exec.Cmd, err error, code string, stdout, stderr *bytes.Buffer) {
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		ts.Fatalf("%v", err)
	}
	ts.Logf("[stdout]\n%s[stderr]\n%s", stdout, stderr)
	ts.Check(os.WriteFile(ts.MkAbs("1"), stdout.Bytes(), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("2"), stderr.Bytes(), 0o666))
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != code {
		ts.Fatalf("exit code %s, want %s", got, code)
	}
}

// modes FILE MODE...: files must have these modes, as ls -l shows them.
func modes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 0 {
		ts.Fatalf("usage: modes FILE MODE...")
	}
	for ; len(args) > 0; args = args[2:] {
		st, err := os.Lstat(ts.MkAbs(args[0]))
		ts.Check(err)
		if got := modeString(st.Mode()); got != args[1] {
			ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
		}
	}
}

// mkdeep ARCHIVE N LENGTH: makes an archive with N archives inside one another in it, whose names have so
// many bytes, and in the innermost a.txt.
func mkdeep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: mkdeep ARCHIVE N LENGTH")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	length, err := strconv.Atoi(args[2])
	ts.Check(err)
	e := ziptest.Entry{Name: "a.txt", Data: []byte("hello\n")}
	for range n {
		e = ziptest.Entry{Name: strings.Repeat("n", length-len(".zip")) + ".zip", Data: ziptest.Archive{Entries: []ziptest.Entry{e}}.Bytes()}
	}
	ts.Check(ziptest.Archive{Entries: []ziptest.Entry{e}}.WriteFile(ts.MkAbs(args[0])))
}

// mkzip ARCHIVE DESCRIPTION: makes an archive as a file describes it. Its lines:
//
//	entry NAME [WORD...]  an entry; the words are
//	    data=TEXT zeros=N    contents
//	    deflate method=N     compression; stored without it
//	    mode=OCTAL link=TARGET fifo
//	    time=TIME utc=TIME   wall clock; extended timestamp
//	    comment=TEXT host=N
//	    csize=N              a lie about the compressed size
//	    badcrc encrypted local=NAME utf8
//	    file=FILE            contents of a file
//	    password=TEXT        encrypted in the traditional way, stored
//	# a comment
//	prefix TEXT, suffix TEXT, comment TEXT, cut N (bytes off the end)
//
// NAME and TEXT are quoted as in Go where they hold spaces or odd bytes.
func mkzip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mkzip ARCHIVE DESCRIPTION")
	}
	var a ziptest.Archive
	cut := 0
	for n, line := range strings.Split(ts.ReadFile(args[1]), "\n") {
		words, err := splitWords(line)
		if err == nil && len(words) == 1 {
			err = errors.New("a word is missing")
		}
		if err == nil && len(words) > 0 {
			switch words[0] {
			case "entry":
				var e ziptest.Entry
				if e, err = describedEntry(ts, words[1:]); err == nil {
					a.Entries = append(a.Entries, e)
				}
			case "many":
				var count int
				if count, err = strconv.Atoi(words[1]); err == nil {
					a.Entries = slices.AppendSeq(a.Entries, ziptest.Many(count))
				}
			case "prefix":
				a.Prefix = []byte(words[1])
			case "suffix":
				a.Suffix = []byte(words[1])
			case "comment":
				a.Comment = words[1]
			case "cut":
				cut, err = strconv.Atoi(words[1])
			default:
				err = fmt.Errorf("no such line: %s", words[0])
			}
		}
		if err != nil {
			ts.Fatalf("%s:%d: %v", args[1], n+1, err)
		}
	}
	b := a.Bytes()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b[:len(b)-cut], 0o666))
}

func describedEntry(ts *testscript.TestScript, words []string) (e ziptest.Entry, err error) {
	e.Name = words[0]
	var header []func(h *ziptest.Header)
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		var n int64
		switch key {
		case "data":
			e.Data = []byte(value)
		case "file":
			e.Data = []byte(ts.ReadFile(value))
		case "password":
			e.Flags |= ziptest.FlagEncrypted
			e.Raw = ziptest.EncryptZipCrypto(e.Data, value, byte(crc32.ChecksumIEEE(e.Data)>>24))
		case "zeros":
			e.Zeros, err = strconv.ParseInt(value, 10, 64)
		case "deflate":
			e.Method = ziptest.Deflate
		case "method":
			if n, err = strconv.ParseInt(value, 10, 16); err == nil {
				header = append(header, func(h *ziptest.Header) { h.Method = uint16(n) })
			}
		case "mode":
			n, err = strconv.ParseInt(value, 8, 32)
			e.Mode = fs.FileMode(n & 0o777)
			if n&0o4000 != 0 {
				e.Mode |= fs.ModeSetuid
			}
			if strings.HasSuffix(e.Name, "/") {
				e.Mode |= fs.ModeDir
			}
		case "link":
			e.Mode, e.Data = fs.ModeSymlink|0o777, []byte(value)
		case "fifo":
			e.Mode = fs.ModeNamedPipe | 0o644
		case "time", "utc":
			var t time.Time
			t, err = time.Parse("2006-01-02T15:04:05", value)
			if key == "time" {
				e.Modified = t
			} else {
				e.Extra = append(e.Extra, ziptest.ExtendedTimestamp(t)...)
			}
		case "comment":
			e.Comment = value
		case "host":
			n, err = strconv.ParseInt(value, 10, 8)
			e.Host = uint8(n)
		case "csize":
			if n, err = strconv.ParseInt(value, 10, 32); err == nil {
				header = append(header, func(h *ziptest.Header) { h.CompressedSize = uint32(n) })
			}
		case "badcrc":
			header = append(header, func(h *ziptest.Header) { h.CRC32++ })
		case "encrypted":
			e.Flags |= ziptest.FlagEncrypted
		case "utf8":
			e.Flags |= ziptest.FlagUTF8
		case "local":
			e.Local = func(h *ziptest.LocalHeader) { h.Name = value }
		default:
			err = fmt.Errorf("no such word: %s", word)
		}
		if err != nil {
			return e, err
		}
	}
	e.Header = func(h *ziptest.Header) {
		for _, change := range header {
			change(h)
		}
	}
	return e, nil
}

// splitWords splits a line at spaces; words may be or hold strings quoted as in Go.
func splitWords(line string) ([]string, error) {
	var words []string
	if strings.HasPrefix(line, "#") {
		return nil, nil
	}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			if line[0] != '"' {
				word.WriteByte(line[0])
				line = line[1:]
				continue
			}
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, err
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, err
			}
			word.WriteString(text)
			line = line[len(quoted):]
		}
		words = append(words, word.String())
	}
	return words, nil
}
