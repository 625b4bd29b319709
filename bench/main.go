// Command bench measures what the mechanisms under package backend cost a program that loads
// classes from jars.
//
//	go run ./bench load -cp app.jar:lib.jar -runs 10
//
// and what other readers take for the same:
//
//	go run ./bench engine -cp app.jar
//	go run ./bench commands -cp app.jar
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
)

const usage = `usage: bench COMMAND [flags]

  load   load every class of a class path through each backend, many times
  engine load the classes of jars with other readers too, side by side
  commands
         list, test, print and unpack with zipcat and other commands

bench COMMAND -h lists the flags of a command.
`

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
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	var err error
	switch name, args := args[0], args[1:]; name {
	case "load":
		err = runLoad(ctx, args, stdout, stderr)
	case "engine":
		err = runEngine(ctx, args, stdout, stderr)
	case "commands":
		err = runCommands(ctx, args, stdout, stderr)
	case childCommand:
		err = runChild(stdin, stdout)
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
	default:
		err = usageError{fmt.Errorf("unknown command %q\n%s", name, usage)}
	}
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
