package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// peerSources are the programs that bench compares with and the scripts that build them.
//
//go:embed peers
var peerSources embed.FS

// errSkip says that something this machine has not is needed.
var errSkip = errors.New("not found")

// scriptSkips is the exit code of a build script when something is missing.
const scriptSkips = 77

// workshop is where peers are built.
type workshop struct{ dir string }

func newWorkshop() (*workshop, error) {
	dir, err := os.MkdirTemp("", "zipcat-bench-")
	if err != nil {
		return nil, err
	}
	w := &workshop{dir}
	if err := os.CopyFS(dir, peerSources); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *workshop) close() error { return os.RemoveAll(w.dir) }

// path is that of a file that a build leaves.
func (w *workshop) path(name string) string { return filepath.Join(w.dir, "built", name) }

// build runs a script of peers.
func (w *workshop) build(ctx context.Context, script string) error {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return fmt.Errorf("sh %w", errSkip)
	}
	out, err := exec.CommandContext(ctx, sh, filepath.Join(w.dir, "peers", script), w.path("")).CombinedOutput()
	said := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == scriptSkips {
		return errors.New(said)
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", script, err, said)
	}
	return nil
}

// libdeflate builds the driver in C and returns its path and the library's version.
func (w *workshop) libdeflate(ctx context.Context) (program, version string, err error) {
	if err := w.build(ctx, "build-libdeflate.sh"); err != nil {
		return "", "", err
	}
	program = w.path("libdeflate")
	out, err := output(ctx, exec.CommandContext(ctx, program, "version"))
	return program, strings.TrimSpace(string(out)), err
}

// java builds the reader in Java and returns the program to run it with and its version.
func (w *workshop) java(ctx context.Context) (program, version string, err error) {
	program = "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		program = filepath.Join(home, "bin", program)
	}
	if program, err = exec.LookPath(program); err != nil {
		return "", "", fmt.Errorf("java %w", errSkip)
	}
	if err := w.build(ctx, "build-java.sh"); err != nil {
		return "", "", err
	}
	out, err := exec.CommandContext(ctx, program, "-XshowSettings:properties", "-version").CombinedOutput()
	if err != nil {
		return "", "", fmt.Errorf("java: %w", err)
	}
	version = "?"
	for line := range strings.Lines(string(out)) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "java.version = "); ok {
			version = v
		}
	}
	return program, version, nil
}

// zipcat builds the command as its README says.
func (w *workshop) zipcat(ctx context.Context) (program string, err error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("go %w", errSkip)
	}
	program = w.path("zipcat")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.CommandContext(ctx, tool, "build", "-o", program, "zipcat.dev/cmd/zipcat")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return program, nil
}
