// Command bench measures what the mechanisms under package backend cost a program that loads
// classes from jars, and what other readers take for the same.
//
//	go run ./bench                           a short form of everything on a generated jar
//	go run ./bench load -cp app.jar:lib.jar  which backend is best for a class path
//	go run ./bench peers -cp app.jar         other readers beside ours
//
// Measured runs are fresh processes: bench starts itself.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// usage lists all commands.
func usage() string {
	var b strings.Builder
	b.WriteString("usage: bench [COMMAND [flags]]\n\nWithout a command a short form of everything is measured on a generated jar.\n\n")
	for _, e := range allExperiments() {
		fmt.Fprintf(&b, "  %-11s %s\n", e.name, e.summary)
	}
	for _, c := range tools {
		fmt.Fprintf(&b, "  %-11s %s\n", c.name, c.summary)
	}
	b.WriteString("\nbench COMMAND -h lists the flags of a command.\n")
	return b.String()
}

// tools are the commands that measure nothing.
var tools = []struct {
	name, summary string
	run           func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}{
	{"gen", "write a jar of generated classes", runGen},
	{"corpus", "fetch fat jars from public package registries", runCorpus},
	{"report", "make Markdown and plots of what -json wrote", runReport},
}

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // something could not be measured, or an entry could not be read
	exitUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	err := dispatch(ctx, args, stdin, stdout, stderr)
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitDone
	case errors.As(err, &wrong):
		fmt.Fprintln(stderr, "bench:", err)
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "bench: interrupted")
		return exitFailed
	}
	fmt.Fprintln(stderr, "bench:", err)
	return exitFailed
}

// usageError is about the command line.
type usageError struct{ error }

func dispatch(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return runShort(ctx, stdout, stderr)
	}
	name, args := args[0], args[1:]
	switch name {
	case childCommand:
		return runChild(stdin, stdout)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage())
		return nil
	}
	for _, e := range allExperiments() {
		if e.name == name {
			return e.run(ctx, args, stdout, stderr)
		}
	}
	for _, c := range tools {
		if c.name == name {
			return c.run(ctx, args, stdout, stderr)
		}
	}
	return usageError{fmt.Errorf("unknown command %q\n%s", name, usage())}
}
