package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile/jar"
)

// verifyFlags are the flags of verify, and what all archives share.
type verifyFlags struct {
	asJSON    bool
	complete  bool
	recursive bool
	roots     string
	summary   bool
	told      bool // that it is not known who the signers are
}

// verifier verifies one archive.
type verifier struct {
	*app
	*verifyFlags
	options jar.VerifyOptions
	label   string // the archive's name where there are several
}

func (a *app) verify() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify ARCHIVE...",
		Short: "Verify the signatures of jars",
		Long: `Verify who signed a jar, and what of it, by the rules of jarsigner and stricter
ones: every signature file and its block, the digests of the manifest and of all
entries. Prints the state of each entry, the signers, and last the state of the jar;
of a jar that nobody has signed this last line alone:

  signed    by at least one valid signer
  unsigned  by none
  bad       changed since it was signed, or damaged
  missing   signed, but not in the jar

Certificate chains are checked only with --roots. Signatures with weak algorithms do
not count, as in Java: with MD5 never, with SHA-1 only where a timestamp says that
they were made before 2019. Bytes outside the entries are told, as
no signature covers them.

With -r an ARCHIVE may be a directory: the files in it that have names of archives
(see zipcat help archive-names) are verified. With --summary only the last line of
each is printed.

The exit code is 0 when the jar is signed, 1 when it is bad, 4 when it is unsigned;
of several jars 3 when one cannot be opened, else 1 when one is bad, else 4 when one
is unsigned.
With --complete unsigned or missing entries of a signed jar make it 1, and a
certificate that is out of date or not for signing code.`,
		Example: `  zipcat verify app.jar
  zipcat verify --roots ca.pem app.jar
  zipcat verify --summary -r plugins
  zipcat verify --json app.jar | jq -r '.entries[] | select(.state != "signed").name'`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.summary && f.asJSON {
				return errors.New("--summary is not for --json, where summaries are in the objects")
			}
			var o jar.VerifyOptions
			if f.roots != "" {
				pem, err := os.ReadFile(f.roots)
				if err != nil {
					return err
				}
				if o.Roots = x509.NewCertPool(); !o.Roots.AppendCertsFromPEM(pem) {
					return fmt.Errorf("%s: no certificates in PEM form", printable(f.roots))
				}
			}
			ctx, stop := interruptible()
			defer stop()
			for name, err := range a.archives(args, f.recursive) {
				v := verifier{app: a, verifyFlags: &f, options: o}
				if len(args) > 1 || name != args[0] {
					v.label = name
				}
				if err != nil {
					v.unopened(name, err)
				} else {
					v.archive(ctx, name)
				}
				if ctx.Err() != nil {
					a.say.interrupted()
					a.exit.interrupted = true
				}
				if ctx.Err() != nil || a.out.failed() {
					break
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object for each archive")
	cmd.Flags().BoolVar(&f.complete, "complete", false, "take unsigned and missing entries for a failure")
	cmd.Flags().BoolVarP(&f.recursive, "recursive", "r", false, "verify the archives in directories")
	cmd.Flags().StringVar(&f.roots, "roots", "", "check certificate chains against the certificates in `file` (PEM)")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "print one line for each archive")
	return cmd
}

func (t *verifier) unopened(name string, err error) { t.notOpened(name, t.label, t.asJSON, err) }

func (t *verifier) archive(ctx context.Context, name string) {
	t.budget = nil // one for each archive
	ar, err := t.tryOpen(name, nil)
	if err != nil {
		t.unopened(name, err)
		return
	}
	defer ar.Close()
	v, err := jar.Verify(ctx, ar.ZipFile, t.options)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		t.say.archive(ar.name, err)
		t.exit.note(exitEntry)
	default:
		t.verified(ar, v)
	}
}

func (t *verifier) verified(ar *archive, v *jar.Verification) {
	for _, s := range v.Signers {
		if s.Err != nil {
			t.say.entry(ar.name, s.File, s.Err)
		}
	}
	for _, e := range v.Entries {
		if e.Err != nil {
			t.say.entry(ar.name, e.Name, e.Err)
		}
	}
	for _, found := range v.Findings {
		t.say.verifyFinding(ar.name, found)
	}
	if v.State == jar.Signed && t.roots == "" && !t.told {
		t.told = true
		t.say.unchecked(ar.name)
	}
	if t.asJSON {
		o := newVerifiedObject(v, t.roots != "")
		o.Archive = t.label
		t.printJSON(o)
	} else {
		t.printVerified(ar, v)
	}
	switch v.State {
	case jar.Signed:
		if t.incomplete(v) {
			t.exit.note(exitEntry)
		}
	case jar.Unsigned:
		t.exit.note(exitNoMatch)
	default:
		t.exit.note(exitEntry)
	}
}

// incomplete reports a signed jar that --complete takes for a failure.
func (t *verifier) incomplete(v *jar.Verification) bool {
	return t.complete && v.State == jar.Signed &&
		(slices.ContainsFunc(v.Findings, func(f jar.Finding) bool { return f.Kind == "expired" || f.Kind == "usage" }) ||
			slices.ContainsFunc(v.Entries, func(e jar.VerifiedEntry) bool { return e.State == jar.Unsigned || e.State == jar.Missing }))
}

func (t *verifier) printVerified(ar *archive, v *jar.Verification) {
	counts := make(map[jar.State]int64)
	for _, e := range v.Entries {
		counts[e.State]++
	}
	if t.flags.quiet {
		return
	}
	if !t.summary {
		t.printStates(v)
	}
	var parts []string
	for _, state := range []jar.State{jar.Signed, jar.Unsigned, jar.Bad, jar.Missing} {
		if n := counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	state := string(v.State)
	if t.incomplete(v) {
		state += ", not complete"
	}
	fmt.Fprintf(t.out, "%s: %s", printable(archiveTitle(ar.name)), state)
	if len(parts) > 0 {
		fmt.Fprintf(t.out, " (entries: %s)", strings.Join(parts, ", "))
	}
	fmt.Fprintln(t.out)
}

// printStates prints a line for each entry and each signer.
func (t *verifier) printStates(v *jar.Verification) {
	prefix := ""
	if t.label != "" {
		prefix = t.label + innerSep
	}
	for _, e := range v.Entries {
		if len(v.Signers) == 0 && e.State == jar.Unsigned {
			continue // where nobody signed, the last line says it of all
		}
		fmt.Fprintf(t.out, "%-8s  %s\n", e.State, printable(prefix+e.Name))
		if t.out.failed() {
			return
		}
	}
	for _, s := range v.Signers {
		fmt.Fprintf(t.out, "signer  %s: %s\n", printable(prefix+s.File), printable(signerText(s)))
	}
}

// signerText describes a signer in a line.
func signerText(s *jar.Signer) string {
	var parts []string
	if subject := s.Subject(); subject != "" {
		parts = append(parts, subject)
	}
	if s.Algorithm != "" {
		parts = append(parts, s.Algorithm)
	}
	if len(s.Digests) > 0 {
		parts = append(parts, "digests "+strings.Join(s.Digests, ", "))
	}
	if len(s.Certificates) > 0 {
		c := s.Certificates[0]
		if text := "certificate until " + c.NotAfter.UTC().Format(time.DateOnly); c.Issuer == c.Subject {
			parts = append(parts, text+", self-signed")
		} else {
			parts = append(parts, text)
		}
	}
	if s.Timestamp != nil {
		parts = append(parts, "timestamp "+s.Timestamp.Time.UTC().Format(time.RFC3339))
	}
	if len(s.Weak) > 0 {
		parts = append(parts, "weak: "+strings.Join(s.Weak, ", "))
	}
	if !s.Counts() {
		parts = append(parts, "does not count")
	}
	return strings.Join(parts, "; ")
}

// verifiedObject is a verification as JSON.
type verifiedObject struct {
	Archive  string          `json:"archive,omitempty"`
	State    jar.State       `json:"state"`
	Trusted  bool            `json:"trusted"` // signed, and by certificates that were checked against --roots
	Signers  []signerObject  `json:"signers"`
	Entries  []verifiedEntry `json:"entries"`
	Findings []string        `json:"findings,omitempty"`
}

type signerObject struct {
	File      string   `json:"file"`
	Subject   string   `json:"subject"`
	Algorithm string   `json:"algorithm,omitempty"`
	Digest    string   `json:"digest"`
	Timestamp string   `json:"timestamp,omitempty"`
	Weak      []string `json:"weak,omitempty"`
	Error     string   `json:"error,omitempty"`
	Refused   string   `json:"refused,omitempty"`
}

type verifiedEntry struct {
	Name  string    `json:"name"`
	State jar.State `json:"state"`
	Error string    `json:"error,omitempty"`
}

func newVerifiedObject(v *jar.Verification, checked bool) *verifiedObject {
	o := &verifiedObject{State: v.State, Trusted: checked && v.State == jar.Signed, Signers: make([]signerObject, 0, len(v.Signers)), Entries: make([]verifiedEntry, 0, len(v.Entries))}
	for _, s := range v.Signers {
		so := signerObject{File: s.File, Subject: s.Subject(), Algorithm: s.Algorithm, Digest: strings.Join(s.Digests, ", "), Weak: s.Weak,
			Error: textOf(s.Err), Refused: textOf(s.Refused)}
		if s.Timestamp != nil {
			so.Timestamp = s.Timestamp.Time.UTC().Format(time.RFC3339)
		}
		o.Signers = append(o.Signers, so)
	}
	for _, e := range v.Entries {
		o.Entries = append(o.Entries, verifiedEntry{e.Name, e.State, textOf(e.Err)})
	}
	for _, found := range v.Findings {
		o.Findings = append(o.Findings, found.Kind+": "+found.Text)
	}
	return o
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return errorText(err)
}
