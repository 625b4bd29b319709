package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// tty FILE CODE COMMAND ARG...: is exits for a command whose standard input is a terminal at which the
// contents of FILE are typed. What the terminal shows goes to the file tty. (What testscript's ttyout gives
// can lack what came last.)
func tty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: tty FILE CODE COMMAND ARG...")
	}
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	ts.Check(err)
	defer screen.Close()
	ts.Check(unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	ts.Check(err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	ts.Check(err)
	var stdout, stderr bytes.Buffer
	cmd := command(ts, args[2])
	cmd.Args = append(cmd.Args, args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	_, err = io.WriteString(screen, ts.ReadFile(args[0])+"\x04")
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Check(terminal.Close())
	shown, _ := io.ReadAll(screen) // to the error that tells that nobody has the terminal any more
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("tty"), shown, 0o666))
	ts.Logf("[tty]\n%q\n", shown)
	ended(ts, cmd, err, args[1], &stdout, &stderr)
}
