package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/text/encoding"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	charsets "zipcat.dev/zipfile/charset"
)

// maxDirectory is the largest directory of an archive that is read, in bytes. It is kept in
// memory, and in a sparse file one that takes all of it costs nothing.
const maxDirectory = 1 << 30

// commonFlags are the flags of all commands.
type commonFlags struct {
	backend    backend.Kind
	strict     bool
	recover    bool
	password   password
	charset    charset
	literal    bool
	ignoreCase bool
	quiet      bool
	maxSize    byteSize
	maxRatio   int64
	release    int
}

func (f *commonFlags) register(fs *pflag.FlagSet) {
	fs.TextVar(&f.backend, "backend", backend.Auto, "how archives are read: auto, pread or mapped; for auto ZIPFILE_BACKEND\nin the environment may say which")
	fs.BoolVar(&f.strict, "strict", false, "open only archives that every reader understands the same way")
	fs.BoolVar(&f.recover, "recover", false, "rebuild a directory that is lost or damaged from the local file headers, and\nread what can be read")
	fs.Var(&f.password, "password", "decrypt with `password`")
	fs.Var((*passwordFile)(&f.password), "password-file", "decrypt with the first line of `file`")
	fs.Var(&f.charset, "charset", "`label` of the charset of names that are not UTF-8, as WHATWG or IANA\nhave it: shift_jis, gbk, IBM850, or auto to guess from all names\n(default IBM437)")
	fs.BoolVar(&f.literal, "literal", false, "take patterns as exact names only")
	fs.BoolVarP(&f.ignoreCase, "ignore-case", "i", false, "ignore case in patterns")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "leave out notices, hints and progress")
	fs.Var(&f.maxSize, "max-size", "refuse entries larger than `size` bytes; K, M, G are powers of 1024")
	fs.IntVar(&f.release, "release", 0, "take multi-release jars as a JVM of release `n` does: META-INF/versions/11/X\nstands for X from 11 on")
	fs.Int64Var(&f.maxRatio, "max-ratio", 0, "refuse entries that unpack to more than `n` times their compressed size")
}

// check finds what is wrong about values that pflag accepts.
func (f *commonFlags) check() error {
	if f.maxRatio < 0 {
		return negative(f.maxRatio, "max-ratio")
	}
	if f.release < 0 {
		return negative(f.release, "release")
	}
	return nil
}

// negative is the error for a flag that takes no number below 0.
func negative[N int | int64](n N, flag string) error {
	return fmt.Errorf("invalid argument \"%d\" for \"--%s\" flag: it must be 0 or more", n, flag)
}

func (f *commonFlags) options() *zipfile.Options {
	o := &zipfile.Options{
		Backend:  f.backend,
		Recover:  f.recover,
		Password: string(f.password),
		Charset:  f.charset.encoding,
		Limits:   zipfile.Limits{MaxDirectorySize: maxDirectory, MaxEntrySize: int64(f.maxSize), MaxRatio: f.maxRatio},
	}
	if f.strict {
		o.Checks = zipfile.Strict
	}
	return o
}

// password is a password as a flag. Its value is not printed as a default.
type password string

func (p *password) Type() string       { return "password" }
func (p *password) String() string     { return "" }
func (p *password) Set(s string) error { *p = password(s); return nil }

// passwordFile is a file that holds one in its first line.
type passwordFile password

func (p *passwordFile) Type() string   { return "file" }
func (p *passwordFile) String() string { return "" }

func (p *passwordFile) Set(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxPassword)).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return fmt.Errorf("its first line is empty")
	}
	*p = passwordFile(line)
	return nil
}

// maxPassword is the longest line of a password file, in bytes.
const maxPassword = 64 << 10

// byteSize is a number of bytes as a flag.
type byteSize int64

func (b *byteSize) Type() string   { return "size" }
func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }

func (b *byteSize) Set(s string) error {
	digits, shift := s, 0
	if s != "" {
		switch s[len(s)-1] | 0x20 {
		case 'k':
			shift = 10
		case 'm':
			shift = 20
		case 'g':
			shift = 30
		}
	}
	if shift > 0 {
		digits = s[:len(s)-1]
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt64>>shift {
		return fmt.Errorf("a number of bytes is needed, as 1000000 or 64M")
	}
	*b = byteSize(n << shift)
	return nil
}

// charset is a label of a charset as a flag.
type charset struct {
	label    string
	encoding encoding.Encoding
	guess    bool
}

func (c *charset) Type() string   { return "label" }
func (c *charset) String() string { return c.label }

// Set knows the labels of charset.ByLabel.
func (c *charset) Set(label string) error {
	if strings.EqualFold(label, "auto") {
		*c = charset{label: label, guess: true}
		return nil
	}
	enc, ok := charsets.ByLabel(label)
	if !ok {
		return fmt.Errorf("no such charset")
	}
	*c = charset{label: label, encoding: enc}
	return nil
}

// anyway takes a flag that people know from other tools for what is done without it too.
func anyway(flags *pflag.FlagSet, name, short string) {
	flags.BoolP(name, short, true, "")
	flags.Lookup(name).Hidden = true
}
