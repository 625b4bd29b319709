package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// isTerminal reports a reader or writer that a person sits at.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// terminal asks questions. It is safe for concurrent use: one question at a time.
type terminal struct {
	mu     sync.Mutex
	tried  bool
	in     *os.File // nil: nobody to ask
	out    *os.File
	before func() // called before a question, if not nil: what else is on the screen makes room
	after  func() // called after one
	// interrupted is called when an interrupt comes while a question is open. It need not return.
	interrupted func()
}

// open finds the terminal that the command was started at, standard input and output being taken
// by data. There is one to ask at if standard input or standard error is a terminal too: who sent both
// elsewhere does not look.
func (t *terminal) open(stdin, stderr any) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tried {
		return t.in != nil
	}
	t.tried = true
	if !isTerminal(stdin) && !isTerminal(stderr) {
		return false
	}
	in, out := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		in, out = "CONIN$", "CONOUT$"
	}
	f, err := os.OpenFile(in, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	if t.out, err = os.OpenFile(out, os.O_RDWR, 0); err != nil {
		f.Close()
		return false
	}
	t.in = f
	return true
}

// errInterrupted is an interrupt in place of an answer.
var errInterrupted = errors.New("interrupted")

// ask asks a question and returns the line that is the answer, without its end.
func (t *terminal) ask(question string) (string, error) { return t.question(question, true) }

// secret is ask without showing what is typed.
func (t *terminal) secret(question string) (string, error) { return t.question(question, false) }

// question reads the answer byte by byte from a terminal that does nothing by itself, so that nothing
// is shown before that is so, and what interrupts finds it as it was before.
func (t *terminal) question(question string, echo bool) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.before != nil {
		t.before()
		defer t.after()
	}
	fd := int(t.in.Fd())
	was, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, interrupts()...)
	defer signal.Stop(stop)
	fmt.Fprint(t.out, question)
	type answer struct {
		text string
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		text, err := t.line(echo)
		read <- answer{text, err}
	}()
	var got answer
	select {
	case got = <-read:
	case <-stop:
		got.err = errInterrupted
	}
	term.Restore(fd, was)
	fmt.Fprintln(t.out)
	if got.err == errInterrupted && t.interrupted != nil {
		t.interrupted()
	}
	return got.text, got.err
}

// Keys of a terminal that does nothing by itself.
const (
	keyInterrupt = 3
	keyEnd       = 4
	keyBackspace = 8
	keyKill      = 21
	keyDelete    = 127
)

// line reads a line. Its end is told by what terminals send for the enter key.
func (t *terminal) line(echo bool) (string, error) {
	var b []byte
	one := make([]byte, 1)
	for {
		n, err := t.in.Read(one)
		if n == 0 {
			if err == nil {
				err = io.EOF
			}
			return "", err
		}
		switch c := one[0]; c {
		case '\r', '\n':
			return string(b), nil
		case keyInterrupt:
			return "", errInterrupted
		case keyEnd:
			if len(b) == 0 {
				return "", io.EOF
			}
		case keyKill:
			if echo {
				fmt.Fprint(t.out, strings.Repeat("\b \b", utf8.RuneCount(b)))
			}
			b = b[:0]
		case keyBackspace, keyDelete:
			if _, size := utf8.DecodeLastRune(b); size > 0 {
				b = b[:len(b)-size]
				if echo {
					fmt.Fprint(t.out, "\b \b")
				}
			}
		default:
			b = append(b, c)
			if echo && c >= ' ' {
				t.out.Write(one)
			}
		}
	}
}

// canAsk reports whether there is somebody to ask. An interrupt at a question ends the process, unless the
// command has set tty.interrupted.
func (a *app) canAsk() bool {
	if !a.tty.open(a.stdin, a.say.w) {
		return false
	}
	a.tty.mu.Lock()
	defer a.tty.mu.Unlock()
	if a.tty.interrupted == nil {
		a.tty.interrupted = func() {
			a.say.interrupted()
			os.Exit(exitInterrupted)
		}
	}
	return true
}

var errNoAnswer = errors.New("no password was given")
