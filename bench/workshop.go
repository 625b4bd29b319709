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
	"slices"
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
	sh, err := lookPath("sh")
	if err != nil {
		return err
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

func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s %w", name, errSkip)
	}
	return path, nil
}

// driver builds a peer and returns its path and what it calls itself.
func (w *workshop) driver(ctx context.Context, name, program string) (path, version string, err error) {
	if err := w.build(ctx, "build-"+name+".sh"); err != nil {
		return "", "", err
	}
	path = w.path(program)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := output(ctx, exec.CommandContext(ctx, path, "version"))
	if err != nil {
		return "", "", err
	}
	return path, strings.TrimSpace(string(out)), nil
}

// python returns the interpreter and what the reader in Python calls itself.
func (w *workshop) python(ctx context.Context) (p program, err error) {
	if p.path, err = lookPath("python3"); err != nil {
		return p, err
	}
	p.args = []string{filepath.Join(w.dir, "peers", "python.py")}
	out, err := output(ctx, exec.CommandContext(ctx, p.path, append(slices.Clone(p.args), "version")...))
	p.name = strings.TrimSpace(string(out))
	return p, err
}

// java builds the readers in Java and returns the JVMs to run them with: those of JAVA_HOME, PATH and
// where Linux distributions put them, one of each version.
func (w *workshop) java(ctx context.Context) ([]program, error) {
	var paths []string
	if home := os.Getenv("JAVA_HOME"); home != "" {
		paths = append(paths, filepath.Join(home, "bin", "java"))
	}
	if path, err := exec.LookPath("java"); err == nil {
		paths = append(paths, path)
	}
	others, _ := filepath.Glob("/usr/lib/jvm/*/bin/java")
	if paths = append(paths, others...); len(paths) == 0 {
		return nil, fmt.Errorf("java %w", errSkip)
	}
	if err := w.build(ctx, "build-java.sh"); err != nil {
		return nil, err
	}
	var list []program
	for _, path := range paths {
		out, err := exec.CommandContext(ctx, path, "-XshowSettings:properties", "-version").CombinedOutput()
		if err != nil {
			continue
		}
		version := "?"
		for line := range strings.Lines(string(out)) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "java.version = "); ok {
				version = v
			}
		}
		name := "Java " + version
		if !slices.ContainsFunc(list, func(p program) bool { return p.name == name }) {
			list = append(list, program{name: name, path: path})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("java that runs %w", errSkip)
	}
	return list, nil
}

// goProgram builds a command of this module, as the README says of zipcat; tags are build tags.
func (w *workshop) goProgram(ctx context.Context, name, pkg, tags string) (path string, err error) {
	tool, err := lookPath("go")
	if err != nil {
		return "", err
	}
	path = w.path(name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.CommandContext(ctx, tool, "build", "-tags", tags, "-o", path, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return path, nil
}
