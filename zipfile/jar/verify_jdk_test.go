package jar_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// javaKeys are made once by each JDK: alias, algorithm, size, group.
var javaKeys = [][4]string{
	{"rsa", "RSA", "2048", ""},
	{"rsa1024", "RSA", "1024", ""},
	{"rsa512", "RSA", "512", ""},
	{"pss", "RSASSA-PSS", "2048", ""},
	{"p256", "EC", "", "secp256r1"},
	{"p384", "EC", "", "secp384r1"},
	{"p521", "EC", "", "secp521r1"},
	{"dsa", "DSA", "2048", ""},
	{"dsa1024", "DSA", "1024", ""},
	{"ed25519", "Ed25519", "", ""},
	{"ed448", "Ed448", "", ""},
}

// javaSigning is how jarsigner signs.
type javaSigning struct {
	key, digest, algorithm, property string
	state                            jar.State
	second                           string // key of a second signer
}

// javaSignings is what is signed: all that jarsigner of JDK 17 and 25 can do.
func javaSignings() []javaSigning {
	var list []javaSigning
	for _, key := range []string{"rsa", "pss", "p256", "dsa", "ed25519"} {
		for _, digest := range []string{"SHA-256", "SHA-384", "SHA-512"} {
			list = append(list, javaSigning{key: key, digest: digest, state: jar.Signed})
		}
		list = append(list, javaSigning{key: key, digest: "SHA-1", state: jar.Unsigned})
	}
	return append(list,
		javaSigning{key: "rsa", state: jar.Signed},
		javaSigning{key: "rsa", digest: "SHA-224", algorithm: "SHA224withRSA", state: jar.Signed},
		javaSigning{key: "rsa", digest: "SHA3-256", algorithm: "SHA256withRSA", state: jar.Signed},
		javaSigning{key: "rsa", algorithm: "SHA1withRSA", state: jar.Unsigned},
		javaSigning{key: "rsa", algorithm: "MD5withRSA", state: jar.Unsigned},
		javaSigning{key: "rsa", algorithm: "RSASSA-PSS", state: jar.Signed},
		javaSigning{key: "rsa", property: "internalSF", state: jar.Signed},
		javaSigning{key: "rsa", property: "sectionsOnly", state: jar.Signed},
		javaSigning{key: "rsa1024", state: jar.Signed},
		javaSigning{key: "rsa512", algorithm: "SHA256withRSA", state: jar.Unsigned},
		javaSigning{key: "p384", state: jar.Signed},
		javaSigning{key: "p521", state: jar.Signed},
		javaSigning{key: "p256", algorithm: "SHA512withECDSA", state: jar.Signed},
		javaSigning{key: "dsa1024", algorithm: "SHA256withDSA", state: jar.Signed},
		javaSigning{key: "ed448", state: jar.Unsigned}, // unknown here
		javaSigning{key: "rsa", second: "p256", state: jar.Signed},
		javaSigning{key: "ed25519", second: "dsa", state: jar.Signed},
	)
}

// entriesOf reads an archive into entries of the builder.
func entriesOf(t *testing.T, name string) (list []ziptest.Entry) {
	z, err := zipfile.Open(name, nil)
	require.NoError(t, err)
	defer z.Close()
	for e := range z.Entries() {
		data, err := e.ReadAll()
		require.NoError(t, err)
		list = append(list, ziptest.Entry{Name: e.RawName(), Data: data})
	}
	return list
}

// compareVerdicts compares what is said of archives with what a JDK says.
type compareVerdicts struct {
	ask     requests
	names   []string
	differs []string
	results []*jar.Verification
}

func (c *compareVerdicts) add(t *testing.T, path, name, differs string) *jar.Verification {
	z, err := zipfile.Open(path, nil)
	require.NoError(t, err)
	defer z.Close()
	v, err := jar.Verify(context.Background(), z, jar.VerifyOptions{})
	require.NoError(t, err, path)
	c.ask.ask('v', []byte(path))
	c.names, c.differs, c.results = append(c.names, name), append(c.differs, differs), append(c.results, v)
	return v
}

// compare looks at each entry. Where the JVM refuses the archive as a whole, it is Bad here, and no
// entry is signed; the rest is the same, but where it is said why not.
func (c *compareVerdicts) compare(t *testing.T, answers []string) (same, stricter int) {
	for i, answer := range answers {
		name, v := c.names[i], c.results[i]
		if strings.HasPrefix(answer, "refused ") || strings.HasPrefix(answer, "failed ") {
			t.Logf("%s: the JDK says %s", name, answer)
			continue
		}
		java := make(map[string][]string)
		for line := range strings.Lines(answer) {
			line = strings.TrimSuffix(line, "\n")
			state, rest, _ := strings.Cut(line, " ")
			if state == "signed" {
				n, entry, _ := strings.Cut(rest, " ")
				state, rest = "signed "+n, entry
			}
			java[rest] = append(java[rest], state)
		}
		equal := v.State != jar.Bad || strings.Contains(answer, "bad ")
		if !equal && c.differs[i] == "" {
			assert.Fail(t, "another verdict", "%s: the JDK finds nothing bad", name)
		}
		for _, e := range v.Entries {
			if e.State == jar.Missing {
				continue
			}
			var b strings.Builder
			javaLine(&b, "%s", e.Entry.RawName())
			key := strings.TrimSuffix(b.String(), "\n")
			if !assert.NotEmpty(t, java[key], "%s: %s", name, key) {
				continue
			}
			got := java[key][0]
			java[key] = java[key][1:]
			want := string(e.State)
			if e.State == jar.Signed {
				want = fmt.Sprintf("signed %d", len(e.Signers))
			}
			if got == want || got == "bad" && v.State == jar.Bad && e.State != jar.Signed {
				continue
			}
			equal = false
			if c.differs[i] == "" || e.State == jar.Signed && got == "unsigned" {
				assert.Fail(t, "another verdict", "%s: %s: %s, the JDK says %s", name, key, want, got)
			}
		}
		if equal {
			same++
			if c.differs[i] != "" && c.differs[i] != manifestCounts && !strings.HasPrefix(c.differs[i], "sometimes: ") {
				assert.Fail(t, "the JDK says the same", "%s, in spite of %q", name, c.differs[i])
			}
		} else {
			stricter++
		}
	}
	return same, stricter
}

func TestVerifyAgainstJDK(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts JVMs")
	}
	eachJDK(t, func(t *testing.T, j jdk) {
		dir := t.TempDir()
		store := []byte(filepath.Join(dir, "keys.p12"))
		var sign requests
		for _, k := range javaKeys {
			sign.ask('k', store, []byte(k[0]), []byte(k[1]), []byte(k[2]), []byte(k[3]))
		}
		in := filepath.Join(dir, "in.jar")
		require.NoError(t, ziptest.Archive{Entries: append([]ziptest.Entry{entry(manifestName, "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\n")}, signedFiles()...)}.WriteFile(in))
		var paths []string
		for i, s := range javaSignings() {
			path := filepath.Join(dir, fmt.Sprintf("signed%d.jar", i))
			paths = append(paths, path)
			to := path
			if s.second != "" {
				to += ".first"
			}
			sign.ask('s', store, []byte(s.key), []byte(in), []byte(to), []byte(s.digest), []byte(s.algorithm), []byte("K"), []byte(s.property))
			if s.second != "" {
				sign.ask('s', store, []byte(s.second), []byte(to), []byte(path), nil, nil, []byte("L"), nil)
			}
		}
		sign.answers(t, j, "Archives")

		var c compareVerdicts
		for i, s := range javaSignings() {
			differs := ""
			if s.key == "ed448" {
				differs = "Ed448 is not known here"
			}
			v := c.add(t, paths[i], fmt.Sprintf("%+v", s), differs)
			assert.Equal(t, s.state, v.State, "%+v: %+v", s, v.Signers[0])
		}
		write := func(i int, k *verifyCase) string {
			path := filepath.Join(dir, fmt.Sprintf("case%d.jar", i))
			require.NoError(t, k.build().WriteFile(path))
			return path
		}
		cases := verifyCases()
		cases = append(cases, tampered("jarsigner: ", entriesOf(t, paths[0]), "META-INF/K.SF", "META-INF/K.RSA")...)
		for i, k := range cases {
			if strings.HasSuffix(k.name, "no entries") {
				continue
			}
			v := c.add(t, write(i, &k), k.name, k.differs)
			assert.Equal(t, k.state, v.State, k.name)
		}
		same, stricter := c.compare(t, c.ask.answers(t, j, "Archives"))
		t.Logf("%d archives: %d as the JDK says, %d more strictly", len(c.results), same, stricter)
	})
}

// TestOtherJarsAgainstJDK compares what is said of other projects' archives: verdicts, and what names
// stand for in several releases.
func TestOtherJarsAgainstJDK(t *testing.T) {
	t.Parallel()
	var verdicts compareVerdicts
	var views requests
	var wants, about []string
	signed, multi := 0, 0
	for _, name := range otherJars(t) {
		z, err := zipfile.Open(name, nil)
		if err != nil {
			continue // what opens is compared elsewhere
		}
		v, err := jar.NewView(z, 99)
		if err != nil {
			t.Logf("%s: %v", name, err)
			z.Close()
			continue
		}
		if v.MultiRelease() {
			multi++
		}
		for _, release := range []int{8, 11, 17, 21, 25} {
			views.ask('r', []byte(name), fmt.Append(nil, release))
			wants, about = append(wants, javaView(t, z, release)), append(about, fmt.Sprintf("%s, release %d", name, release))
		}
		// Of an unsigned archive nothing is read here.
		if r, err := jar.Verify(t.Context(), z, jar.VerifyOptions{}); err == nil && len(r.Signers) > 0 {
			differs := ""
			if slices.ContainsFunc(r.Signers, func(s *jar.Signer) bool { return s.Err != nil }) {
				differs = "sometimes: " + ignoresBlock
			}
			verdicts.add(t, name, name, differs)
			signed++
			t.Logf("%s: %s, %d signers", name, r.State, len(r.Signers))
		}
		require.NoError(t, z.Close())
	}
	t.Logf("%d signed archives, %d multi-release ones of %d", signed, multi, len(wants)/5)
	eachJDK(t, func(t *testing.T, j jdk) {
		same, stricter := verdicts.compare(t, verdicts.ask.answers(t, j, "Archives"))
		t.Logf("signed archives: %d as the JDK says, %d not", same, stricter)
		same = 0
		for i, got := range views.answers(t, j, "Archives") {
			if !strings.HasPrefix(got, "refused ") && assertView(t, got, wants[i], about[i]) {
				same++
			}
		}
		t.Logf("views: %d as the JDK says, of %d", same, len(wants))
	})
}

// mutate changes a text at random, mostly by lines.
func mutate(r *rand.Rand, s string) string {
	lines := strings.SplitAfter(s, "\n")
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	at := 0
	if len(s) > 0 {
		at = r.IntN(len(s))
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	switch r.IntN(14) {
	case 0:
		lines[i], lines[j] = lines[j], lines[i]
	case 1:
		lines = slices.Delete(lines, i, i+1)
	case 2:
		lines = slices.Insert(lines, i, lines[j])
	case 3:
		lines = slices.Insert(lines, i, pick("\r\n", "\n", " \r\n", "\r", " x\r\n", "X: y\r\n", "Name: b.txt\r\n", "Name: a.txt\r\n", "Name: ./a.txt\r\n",
			"SHA-256-Digest: AAAA\r\n", "SHA1-Digest: AAAA\r\n", "X-Digest: AAAA\r\n", "SHA-512-Digest: x\r\n", "SHA-256-Digest-Manifest: AAAA\r\n",
			"SHA-Digest: AAAA\r\n", "sha1-digest: AAAA\r\n", "MD5-Digest: AAAA\r\n", "SHA3-256-Digest: AAAA\r\n", "-Digest: AAAA\r\n", "Signature-Version: 1.0\r\n"))
	case 4:
		lines[i] = strings.TrimSuffix(lines[i], "\r\n") + pick("\n", "\r", "\r\n\r\n", "", "\r\n \r\n")
	case 5:
		return s[:at] + s[min(at+1, len(s)):]
	case 6:
		return s[:at] + pick("a", " ", "=", "\r", "\n", "\x00", "\xff", ":", "A") + s[at:]
	case 7:
		return s[:at]
	case 8:
		lines[i] = strings.ToUpper(lines[i])
	case 9:
		lines[i] = strings.ToLower(lines[i])
	case 10:
		lines[i] = strings.Replace(lines[i], "SHA-256", pick("SHA256", "SHA-512", "MD5", "SHA-1", "SHA", "X", "sha-256", "SHA3-256", "SHA-384"), 1)
	case 11:
		lines[i] = strings.Replace(lines[i], ": ", pick(":", ":  ", ": \r\n ", ": A", ": x="), 1)
	case 12:
		lines[i] = strings.Replace(lines[i], "Name: ", pick("Name: ./", "Name: /", "name: ", "Name: .//", "Name:"), 1)
	case 13:
		return s + pick("\r\n", "x", "Name: a.txt", "Name: a.txt\r\n", "\r\nName: a.txt\r\nX: y\r\n", "\x1a")
	}
	return strings.Join(lines, "")
}

// TestMutationsAgainstJDK signs manifests and signature files that were changed at random, before and
// after they were signed: nothing is signed here that is not to the JVM.
func TestMutationsAgainstJDK(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts JVMs")
	}
	r := rand.New(rand.NewPCG(3, 4))
	n := 400
	if s := os.Getenv("ZIPFILE_MUTATIONS"); s != "" {
		var err error
		n, err = strconv.Atoi(s)
		require.NoError(t, err)
		r = rand.New(rand.NewPCG(uint64(n), uint64(time.Now().UnixNano())))
	}
	dir := t.TempDir()
	var ask requests
	var results []*jar.Verification
	var about []string
	for i := range n {
		keep := func(s string) string { return s }
		s := signing{by: "p256", sectionsOnly: r.IntN(2) == 0, noMain: r.IntN(4) == 0, manifest: keep, file: keep}
		times := func() int { return r.IntN(3) }
		before, file := times(), times()
		s.manifest = func(text string) string {
			for range before {
				text = mutate(r, text)
			}
			return text
		}
		s.file = func(text string) string {
			for range file {
				text = mutate(r, text)
			}
			return text
		}
		entries := signJar(signedFiles(), s)
		for range r.IntN(2) {
			entries[0].Data = []byte(mutate(r, string(entries[0].Data)))
		}
		if r.IntN(8) == 0 {
			entries[1].Data = []byte(mutate(r, string(entries[1].Data)))
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.jar", i))
		a := ziptest.Archive{Entries: entries}
		require.NoError(t, a.WriteFile(path))
		results = append(results, verify(t, a.Bytes(), jar.VerifyOptions{}))
		about = append(about, fmt.Sprintf("%q\n%q", entries[0].Data, entries[1].Data))
		ask.ask('v', []byte(path))
	}
	eachJDK(t, func(t *testing.T, j jdk) {
		same, stricter, failed := 0, 0, 0
		kinds := make(map[string]int)
		for i, answer := range ask.answers(t, j, "Archives") {
			v := results[i]
			equal := true
			for _, e := range v.Entries {
				if e.State == jar.Missing {
					continue
				}
				got := "bad"
				for line := range strings.Lines(answer) {
					if state, ok := strings.CutSuffix(line, " "+e.Name+"\n"); ok {
						got = state
					}
				}
				if e.State == jar.Signed && got != "signed 1" && failed < 5 {
					failed++
					assert.Fail(t, "signed here only", "%s: the JDK says %s\n%s", e.Name, got, about[i])
				}
				if got != string(e.State) && !(e.State == jar.Signed && got == "signed 1") && !(got == "bad" && v.State == jar.Bad) {
					equal = false
					why := e.Err
					if why == nil && v.Signers[0].Refused != nil {
						why = v.Signers[0].Refused
					}
					kinds[fmt.Sprintf("%s, the JDK says %s: %.60s", e.State, got, fmt.Sprint(why))]++
					if os.Getenv("ZIPFILE_MUTATIONS") != "" && (got == "signed 1" || got == "bad") {
						t.Logf("%s %s: %v\n%s", e.Name, e.State, why, about[i])
					}
				}
			}
			if equal {
				same++
			} else {
				stricter++
			}
		}
		t.Logf("%d archives: %d as the JDK says, %d more strictly: %v", n, same, stricter, kinds)
	})
}
