package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

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
	lines  *bufio.Reader
	before func() // called before a question: what else is on the screen makes room
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
	var err error
	if t.in, err = os.OpenFile(in, os.O_RDWR, 0); err != nil {
		return false
	}
	if t.out, err = os.OpenFile(out, os.O_RDWR, 0); err != nil {
		t.in = nil
		return false
	}
	t.lines = bufio.NewReader(t.in)
	return true
}

// ask asks a question and returns the line that is the answer, without its end.
func (t *terminal) ask(question string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.say(question)
	line, err := t.lines.ReadString('\n')
	if err == io.EOF && line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// secret is ask without showing what is typed.
func (t *terminal) secret(question string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.say(question)
	b, err := term.ReadPassword(int(t.in.Fd()))
	fmt.Fprintln(t.out)
	return string(b), err
}

func (t *terminal) say(question string) {
	if t.before != nil {
		t.before()
	}
	fmt.Fprint(t.out, question)
}

// canAsk reports whether there is somebody to ask.
func (a *app) canAsk() bool { return a.tty.open(a.stdin, a.say.w) }

var errNoAnswer = errors.New("no password was given")
