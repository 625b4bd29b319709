package jar_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// longName is a name that manifests fold.
const longName = "org/example/a/rather/long/name/of/a/package/that/does/not/fit/into/a/line/C.class"

// signedFiles are what the archives of the tests hold.
func signedFiles() []ziptest.Entry {
	return []ziptest.Entry{
		entry("a.txt", "hello\n"),
		{Name: longName, Data: bytes.Repeat([]byte("class"), 1000), Method: ziptest.Deflate},
		entry("empty", ""),
	}
}

// verifyCase is an archive, and what is to be said about it.
type verifyCase struct {
	name    string
	entries []ziptest.Entry
	state   jar.State
	a       string // state of a.txt, of each in turn if there are several
	signers string // what is said of the signers: "ok", "refused" or "bad", one for each
	kinds   string // of findings
	archive func(*ziptest.Archive)

	// differs says why the JVM says something else, always something milder; empty: it says the same.
	// "sometimes: ..." if that depends on the release.
	differs string
}

// Why the JVM says something else.
const (
	ignoresBlock   = "the JVM ignores a block that it cannot parse, and one without a .SF file or a manifest"
	ignoresTime    = "the JVM takes what has a bad timestamp for unsigned"
	ignoresAnother = "the JVM heeds one signer of a block if it cannot verify another one"
	ignoresFile    = "the JVM does not look at the .SF file if the block holds one"
	ignoresCert    = "the JVM takes what it refuses in a certificate or a signature's attributes for unsigned"
	ignoresBase64  = "the JVM takes what has a digest that is no base64 for unsigned"
	manifestCounts = "to the JVM the manifest is signed, and therefore the archive"
)

func change(entries []ziptest.Entry, name string, f func([]byte) []byte) []ziptest.Entry {
	list := slices.Clone(entries)
	for i := range list {
		if list[i].Name == name {
			list[i].Data = f(bytes.Clone(list[i].Data))
		}
	}
	return list
}

func replace(old, new string) func([]byte) []byte {
	return func(b []byte) []byte {
		if !bytes.Contains(b, []byte(old)) {
			panic(fmt.Sprintf("no %q in %q", old, b))
		}
		return bytes.Replace(b, []byte(old), []byte(new), 1)
	}
}

func replaceText(old, new string) func(string) string {
	return func(s string) string { return string(replace(old, new)([]byte(s))) }
}

func without(entries []ziptest.Entry, name string) []ziptest.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e ziptest.Entry) bool { return e.Name == name })
}

func rename(entries []ziptest.Entry, old, new string) []ziptest.Entry {
	list := slices.Clone(entries)
	for i := range list {
		if list[i].Name == old {
			list[i].Name = new
		}
	}
	return list
}

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		if at < 0 {
			at += len(b)
		}
		b[at] ^= 1
		return b
	}
}

// tampered makes many archives of a signed one: of signer K with an RSA or another key.
func tampered(prefix string, good []ziptest.Entry, sfName, blockName string) []verifyCase {
	const mf = manifestName
	var cases []verifyCase
	add := func(name string, state jar.State, a, signers string, entries []ziptest.Entry) *verifyCase {
		cases = append(cases, verifyCase{name: prefix + name, entries: entries, state: state, a: a, signers: signers})
		return &cases[len(cases)-1]
	}
	with := func(e ...ziptest.Entry) []ziptest.Entry { return append(slices.Clone(good), e...) }
	add("good", jar.Signed, "signed", "ok", good)
	add("contents changed", jar.Bad, "bad", "ok", change(good, "a.txt", flip(0)))
	add("contents cut off", jar.Bad, "bad", "ok", change(good, "a.txt", func(b []byte) []byte { return b[:3] }))
	add("contents gone", jar.Bad, "bad", "ok", change(good, "a.txt", func(b []byte) []byte { return nil }))
	add("another entry changed", jar.Bad, "signed", "ok", change(good, longName, flip(0)))
	add("empty entry filled", jar.Bad, "signed", "ok", change(good, "empty", func([]byte) []byte { return []byte("x") }))
	add("entry added", jar.Signed, "signed", "ok", with(entry("b.txt", "x")))
	add("entry added in META-INF", jar.Signed, "signed", "ok", with(entry("META-INF/b.txt", "x")))
	add("entry missing", jar.Signed, "missing", "ok", without(good, "a.txt"))
	add("all entries missing", jar.Signed, "missing", "ok", good[:3])
	add("all entries missing, another one added", jar.Unsigned, "missing", "ok", append(slices.Clone(good[:3]), entry("b.txt", "x"))).differs = manifestCounts
	add("entry doubled", jar.Bad, "signed bad", "ok", with(entry("a.txt", "evil")))
	add("entry doubled, the good one last", jar.Bad, "bad signed", "ok", append([]ziptest.Entry{entry("a.txt", "evil")}, good...))
	add("entry in another case", jar.Signed, "missing", "ok", rename(good, "a.txt", "A.txt"))
	add("entry with ./", jar.Signed, "", "ok", rename(good, "a.txt", "./a.txt"))
	add("entry with /", jar.Signed, "", "ok", rename(good, "a.txt", "/a.txt"))
	add("entries in another order", jar.Signed, "signed", "ok", func() []ziptest.Entry {
		list := slices.Clone(good)
		slices.Reverse(list)
		return list
	}())
	add("directory added", jar.Signed, "signed", "ok", with(entry("dir/", "")))

	add("main attributes changed", jar.Bad, "bad", "bad", change(good, mf, replace("Main-Class: a.B", "Main-Class: a.C")))
	add("main attribute added", jar.Bad, "bad", "bad", change(good, mf, replace("Main-Class: a.B\r\n", "Main-Class: a.B\r\nMulti-Release: true\r\n")))
	add("section added", jar.Signed, "signed", "ok", append(change(good, mf, func(b []byte) []byte {
		return append(b, "Name: b.txt\r\nSHA-256-Digest: "+digestText("SHA-256", []byte("x"))+"\r\n\r\n"...)
	}), entry("b.txt", "x")))
	add("section added for a signed entry", jar.Bad, "bad", "bad", change(good, mf, func(b []byte) []byte {
		return append(b, "Name: a.txt\r\nSealed: true\r\n\r\n"...)
	}))
	add("section changed with its entry", jar.Bad, "bad", "bad", change(change(good, "a.txt", flip(0)), mf,
		replaceSection("a.txt", []byte("iello\n"))))
	add("section without its digest", jar.Bad, "bad", "bad", change(good, mf, func(b []byte) []byte {
		i := bytes.Index(b, []byte("Name: a.txt\r\n")) + len("Name: a.txt\r\n")
		return append(b[:i:i], b[i+bytes.Index(b[i:], []byte("\r\n"))+2:]...)
	}))
	add("sections in another order", jar.Signed, "signed", "ok", change(good, mf, func(b []byte) []byte {
		s := strings.SplitAfter(string(b), "\r\n\r\n")
		return []byte(s[0] + s[2] + s[1] + s[3])
	}))
	add("section gone", jar.Bad, "bad", "bad", change(good, mf, func(b []byte) []byte {
		s := strings.SplitAfter(string(b), "\r\n\r\n")
		return []byte(s[0] + s[2] + s[3])
	}))
	add("lines end in LF", jar.Bad, "bad", "bad", change(good, mf, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }))
	add("blank line added", jar.Signed, "signed", "ok", change(good, mf, func(b []byte) []byte { return append(b, "\r\n"...) }))
	add("last blank line gone", jar.Bad, "bad", "bad", change(good, mf, func(b []byte) []byte { return b[:len(b)-2] }))
	add("no line end at the end", jar.Bad, "bad", "bad", change(good, mf, func(b []byte) []byte { return b[:len(b)-4] }))
	add("line folded otherwise", jar.Bad, "bad", "bad", change(good, mf, replace("Main-Class: a", "Main-Class: \r\n a")))
	add("manifest does not parse", jar.Bad, "bad", "bad", change(good, mf, replace("Main-Class", "Main Class"))).differs = ignoresBlock
	add("no manifest", jar.Bad, "bad", "bad", without(good, mf)).differs = ignoresBlock
	add("empty manifest", jar.Bad, "bad", "bad", change(good, mf, func([]byte) []byte { return nil })).differs = ignoresBlock
	add("two manifests", jar.Unsigned, "unsigned", "", with(entry("meta-inf/manifest.mf", "A: 1\r\n")))
	add("two manifests, the good one last", jar.Unsigned, "unsigned", "", append([]ziptest.Entry{entry("META-INF/Manifest.mf", "A: 1\r\n")}, good...))

	add(".SF file changed", jar.Bad, "bad", "bad", change(good, sfName, flip(-10)))
	add(".SF file of another version", jar.Bad, "bad", "bad", change(good, sfName, replace(": 1.0", ": 1.1"))).differs = "the JVM ignores such a .SF file"
	add(".SF file with a section more", jar.Bad, "bad", "bad", change(good, sfName, func(b []byte) []byte { return append(b, "Name: b.txt\r\nA: b\r\n\r\n"...) }))
	add(".SF file does not parse", jar.Bad, "unsigned", "bad", change(good, sfName, func([]byte) []byte { return []byte("x\r\n") })).differs = ignoresBlock
	add(".SF file empty", jar.Bad, "unsigned", "bad", change(good, sfName, func([]byte) []byte { return nil })).differs = ignoresBlock
	add(".SF file gone", jar.Bad, "unsigned", "bad", without(good, sfName)).differs = ignoresBlock
	add(".SF file twice", jar.Bad, "unsigned", "bad", with(entry(strings.ToLower(sfName), "Signature-Version: 1.0\r\n\r\n"))).differs = "sometimes: the JVM takes the one that comes first, or last, by where the block stands"
	add("signature files in lower case", jar.Signed, "signed", "ok", rename(rename(rename(good, sfName, strings.ToLower(sfName)), blockName, strings.ToLower(blockName)), mf, strings.ToLower(mf)))
	add("signature files last", jar.Signed, "signed", "ok", append(slices.Clone(good[3:]), good[:3]...))
	add("block before its .SF file", jar.Signed, "signed", "ok", append([]ziptest.Entry{good[2], good[1], good[0]}, good[3:]...))
	add("signature files elsewhere", jar.Unsigned, "unsigned", "", rename(rename(good, sfName, "META-INF/x/K.SF"), blockName, "META-INF/x/K.RSA")).differs = "sometimes: JDK 17 looks into directories of META-INF too"

	add("block gone", jar.Unsigned, "unsigned", "", without(good, blockName))
	add("block empty", jar.Bad, "bad", "bad", change(good, blockName, func([]byte) []byte { return nil })).differs = ignoresBlock
	add("block cut off", jar.Bad, "bad", "bad", change(good, blockName, func(b []byte) []byte { return b[:len(b)-1] })).differs = ignoresBlock
	add("block cut in half", jar.Bad, "bad", "bad", change(good, blockName, func(b []byte) []byte { return b[:len(b)/2] })).differs = ignoresBlock
	add("block with a tail", jar.Signed, "signed", "ok", change(good, blockName, func(b []byte) []byte { return append(b, "tail"...) }))
	add("block is no block", jar.Bad, "bad", "bad", change(good, blockName, func([]byte) []byte { return []byte("block") })).differs = ignoresBlock
	add("signature changed", jar.Bad, "bad", "bad", change(good, blockName, flip(-1)))
	add("block of another kind", jar.Signed, "signed", "ok", rename(good, blockName, "META-INF/K.DSA"))
	add("block of another name", jar.Bad, "unsigned", "bad", rename(good, blockName, "META-INF/L.RSA")).differs = ignoresBlock
	add("block twice", jar.Bad, "bad", "bad bad", with(ziptest.Entry{Name: strings.ToLower(blockName), Data: good[2].Data})).differs = "sometimes: the JVM takes both blocks, if both are found"
	add("another kind of signature", jar.Signed, "signed", "ok", with(entry("META-INF/SIG-X.abc", "x"), entry("META-INF/SIG-Y", "x")))
	return cases
}

func replaceSection(name string, data []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		i := bytes.Index(b, []byte("Name: "+name+"\r\n"))
		j := i + bytes.Index(b[i:], []byte("Digest: ")) + len("Digest: ")
		k := j + bytes.Index(b[j:], []byte("\r\n"))
		return slices.Concat(b[:j], []byte(digestText("SHA-256", data)), b[k:])
	}
}

// signedCases are archives that are signed in all ways.
func signedCases() []verifyCase {
	files := signedFiles()
	var cases []verifyCase
	add := func(name string, state jar.State, a, signers string, by ...signing) *verifyCase {
		cases = append(cases, verifyCase{name: name, entries: signJar(files, by...), state: state, a: a, signers: signers})
		return &cases[len(cases)-1]
	}
	good := func(name string, by ...signing) *verifyCase {
		return add(name, jar.Signed, "signed", strings.TrimSpace(strings.Repeat("ok ", len(by))), by...)
	}
	refused := func(name string, by ...signing) *verifyCase {
		return add(name, jar.Unsigned, "unsigned", "refused", by...)
	}
	bad := func(name string, by ...signing) *verifyCase { return add(name, jar.Bad, "bad", "bad", by...) }
	early, late := time.Date(2018, 6, 1, 12, 0, 0, 5e8, time.UTC), time.Date(2024, 6, 1, 12, 0, 0, 0, time.UTC)

	for _, key := range []string{"rsa", "p256", "p384", "p521", "ed25519"} {
		for _, digest := range []string{"SHA-256", "SHA-384", "SHA-512"} {
			good(key+", "+digest, signing{by: key, digest: digest})
		}
		good(key+", no attributes", signing{by: key, digest: "SHA-512", direct: true})
		good(key+", algorithms protected", signing{by: key, digest: "SHA-512", protect: "SHA-512"})
	}
	for _, digest := range []string{"SHA-256", "SHA-384", "SHA-512"} {
		good("RSASSA-PSS, "+digest, signing{by: "rsa", digest: digest, pss: true})
	}
	bad("RSASSA-PSS of something else", signing{by: "rsa", pss: true, cms: flip(-1)})
	bad("other algorithms are protected", signing{by: "rsa", protect: "SHA-384"}).differs = ignoresBlock
	good("weak key", signing{by: "rsa2"}).kinds = "weak"
	good("certificate has expired", signing{by: "expired"}).kinds = "expired"
	good("certificate for servers", signing{by: "server"}).kinds = "usage"
	good("certificate of an authority", signing{by: "leaf"})
	bad("key for something else", signing{by: "encipher"}).differs = ignoresCert
	bad("certificate with a critical extension", signing{by: "critical"}).differs = ignoresCert
	bad("no certificate", signing{by: "rsa", bare: true})
	good("block in BER", signing{by: "rsa", indefinite: true})
	good("block holds the .SF file", signing{by: "rsa", internal: true})
	c := good("block holds the .SF file, which is gone", signing{by: "rsa", internal: true})
	c.entries = without(c.entries, "META-INF/K.SF")
	c = bad("block holds another .SF file", signing{by: "rsa", internal: true})
	c.entries = change(c.entries, "META-INF/K.SF", flip(-8))
	c.differs = ignoresFile

	good("two signers", signing{by: "rsa"}, signing{by: "p256", name: "L"})
	c = good("two signers of one name", signing{by: "rsa"}, signing{by: "p256"})
	c.entries = slices.Delete(c.entries, 3, 4) // they share the .SF file
	c = add("two signers, one broken", jar.Bad, "bad", "ok bad", signing{by: "rsa"}, signing{by: "p256", name: "L"})
	c.entries = change(c.entries, "META-INF/L.EC", flip(-1))
	c = add("two signers, their blocks swapped", jar.Bad, "bad", "bad bad", signing{by: "rsa"}, signing{by: "p256", name: "L"})
	c.entries = rename(rename(rename(c.entries, "META-INF/K.RSA", "x"), "META-INF/L.EC", "META-INF/K.RSA"), "x", "META-INF/L.EC")
	c.entries = change(c.entries, "META-INF/L.SF", replace("Signature-Version: 1.0\r\n", "Signature-Version: 1.0\r\nX: y\r\n"))
	c.entries = change(c.entries, "META-INF/K.SF", replace("Signature-Version: 1.0\r\n", "Signature-Version: 1.0\r\nX: z\r\n"))
	add("two signers, the second for one entry", jar.Signed, "signed", "ok ok", signing{by: "rsa"}, signing{by: "p256", name: "L", file: func(s string) string {
		return strings.Join(strings.SplitAfter(s, "\r\n\r\n")[:2], "")
	}})
	add("two signers in a block", jar.Signed, "signed", "ok ok", signing{by: "rsa", also: "p256"})
	add("two signers in a block, one broken", jar.Bad, "bad", "bad bad", signing{by: "rsa", also: "!p256"}).differs = ignoresAnother

	good("only sections", signing{by: "rsa", sectionsOnly: true}).kinds = "main-attributes"
	c = good("only sections, main attributes changed", signing{by: "rsa", sectionsOnly: true})
	c.entries = change(c.entries, manifestName, replace("a.B", "a.C"))
	c.kinds = "main-attributes"
	c = good("no digest of the main attributes, which were changed", signing{by: "rsa", noMain: true})
	c.entries = change(c.entries, manifestName, replace("a.B", "a.C"))
	c.kinds = "main-attributes"
	good("digest of the manifest is wrong, sections right", signing{by: "rsa", file: replaceText("Digest-Manifest: ", "Digest-Manifest: AAAA")})
	bad("digest of the manifest is no base64, sections right", signing{by: "rsa", file: replaceText("Digest-Manifest: ", "Digest-Manifest: A")}).differs = ignoresBase64
	bad("digest of the main attributes is no base64", signing{by: "rsa", file: func(s string) string {
		s = strings.Replace(s, "Digest-Manifest: ", "Digest-Manifest: AAAA", 1)
		return strings.Replace(s, "Main-Attributes: ", "Main-Attributes: A=", 1)
	}}).differs = ignoresBase64
	add("digest of an entry is no base64", jar.Bad, "bad", "ok", signing{by: "rsa", manifest: replaceText("Digest: ", "Digest: A")})
	good("sections wrong, digest of the manifest right", signing{by: "rsa", file: func(s string) string {
		i := strings.Index(s, "Name: a.txt")
		return s[:i] + strings.Replace(s[i:], "Digest: ", "Digest: AAAA", 1)
	}})
	bad("both wrong", signing{by: "rsa", file: func(s string) string {
		s = strings.Replace(s, "Digest-Manifest: ", "Digest-Manifest: AAAA", 1)
		i := strings.Index(s, "Name: a.txt")
		return s[:i] + strings.Replace(s[i:], "Digest: ", "Digest: AAAA", 1)
	}})
	bad("section for no entry", signing{by: "rsa", sectionsOnly: true, file: func(s string) string {
		return s + "Name: b.txt\r\nSHA-256-Digest: AAAA\r\n\r\n"
	}})
	add("no section for an entry", jar.Signed, "unsigned", "ok", signing{by: "rsa", file: func(s string) string {
		i := strings.Index(s, "Name: a.txt")
		return s[:i] + s[i+strings.Index(s[i:], "\r\n\r\n")+4:]
	}})
	add("section without digest", jar.Signed, "unsigned", "ok", signing{by: "rsa", sectionsOnly: true, file: func(s string) string {
		i := strings.Index(s, "Name: a.txt")
		return s[:i] + strings.Replace(s[i:], "SHA-256-Digest", "X", 1)
	}}).kinds = "main-attributes"
	good("digests without blank lines", signing{by: "rsa", sectionsOnly: true, file: func(s string) string {
		for _, section := range strings.SplitAfter(string(signJar(files, signing{by: "rsa"})[0].Data), "\r\n\r\n") {
			s = strings.ReplaceAll(s, digestText("SHA-256", []byte(section)), digestText("SHA-256", []byte(strings.TrimSuffix(section, "\r\n"))))
		}
		return s
	}}).kinds = "main-attributes"
	refused(".SF file of version 1.1", signing{by: "rsa", file: replaceText(": 1.0", ": 1.1")})
	good("last line of the .SF file without a line end", signing{by: "rsa", file: func(s string) string { return s + "Name: x" }})
	good("base64 with spaces", signing{by: "rsa", file: func(s string) string { return strings.ReplaceAll(s, "=\r\n", " =\r\n") }})
	good("Magic", signing{by: "rsa", manifest: replaceText("Name: a.txt\r\n", "Name: a.txt\r\nMagic: x\r\n")}).kinds = "magic"
	good("sections for packages", signing{by: "rsa", manifest: func(s string) string { return s + "Name: org/\r\nSealed: true\r\n\r\n" }})
	add("names with .// in the manifest", jar.Bad, "bad", "ok", signing{by: "rsa", manifest: replaceText("Name: a.txt", "Name: .//a.txt")})
	add("signed section of another name", jar.Bad, "bad", "ok", signing{by: "rsa", sectionsOnly: true, manifest: func(s string) string {
		i := strings.Index(s, "Name: a.txt")
		section := s[i : i+strings.Index(s[i:], "\r\n\r\n")+4]
		return s + strings.Replace(section, "Name: ", "Name: ./", 1)
	}, file: func(s string) string {
		i := strings.Index(s, "Name: a.txt")
		return s[:i] + s[i+strings.Index(s[i:], "\r\n\r\n")+4:]
	}}).differs = "the JVM looks for an entry's section by three names, and not whether it is the signed one"
	c = good("names with ./ in the manifest", signing{by: "rsa", manifest: replaceText("Name: a.txt", "Name: ./a.txt")})
	c.a = "signed"

	good("two digests", signing{by: "rsa", entryDigests: []string{"SHA-256", "SHA-512"}})
	add("two digests, one wrong", jar.Bad, "bad", "ok", signing{by: "rsa", entryDigests: []string{"SHA-256", "SHA-512"}, manifest: replaceText("SHA-512-Digest: ", "SHA-512-Digest: A")})
	good("two digests, MD5 wrong", signing{by: "rsa", entryDigests: []string{"SHA-256", "MD5"}, manifest: replaceText("MD5-Digest: ", "MD5-Digest: A")})
	good("SHA-1 beside SHA-256", signing{by: "rsa", entryDigests: []string{"SHA1", "SHA-256"}})
	good("SHA-256 by another name", signing{by: "rsa", manifest: replaceText("SHA-256-Digest", "sha256-DIGEST")})
	add("unknown digest", jar.Bad, "bad", "ok", signing{by: "rsa", manifest: replaceText("SHA-256-Digest", "X-Digest")})
	add("no digest", jar.Bad, "bad", "ok", signing{by: "rsa", manifest: replaceText("SHA-256-Digest", "X")})
	add("MD5 in the manifest", jar.Unsigned, "unsigned", "ok", signing{by: "rsa", entryDigests: []string{"MD5"}}).differs = manifestCounts
	add("SHA-1 in the manifest", jar.Unsigned, "unsigned", "ok", signing{by: "rsa", entryDigests: []string{"SHA1"}}).differs = manifestCounts
	add("SHA, wrong, beside SHA-256", jar.Bad, "bad", "ok", signing{by: "rsa", manifest: replaceText("Name: a.txt\r\n", "Name: a.txt\r\nSHA-Digest: AAAA\r\n")})
	good("SHA1, wrong, beside SHA-256", signing{by: "rsa", manifest: replaceText("Name: a.txt\r\n", "Name: a.txt\r\nSHA1-Digest: AAAA\r\n")})
	bad("SHA, wrong, beside SHA-256 in the .SF file", signing{by: "rsa", sectionsOnly: true, file: replaceText("Name: a.txt\r\n", "Name: a.txt\r\nSHA-Digest: AAAA\r\n")})
	c = refused("SHA", signing{by: "rsa", file: func(s string) string {
		i := strings.Index(s, "Name: a.txt")
		return "Signature-Version: 1.0\r\n\r\n" + strings.ReplaceAll(s[i:], "SHA-256-Digest", "SHA-Digest")
	}})
	c.state, c.a, c.signers = jar.Bad, "bad", "bad" // the digests are not that
	refused("SHA-1", signing{by: "rsa", digest: "SHA1"})
	refused("MD5", signing{by: "rsa", digest: "MD5"})
	refused("SHA-1, timestamp after 2018", signing{by: "rsa", digest: "SHA1", stamped: late})
	good("SHA-1, timestamp before 2019", signing{by: "rsa", digest: "SHA1", stamped: early}).kinds = "weak"
	good("timestamp", signing{by: "p384", stamped: late})
	good("certificate has expired, timestamp", signing{by: "expired", stamped: early})
	bad("timestamp of another signature", signing{by: "rsa", stamped: late, stampOther: true}).differs = ignoresTime
	add("SHA-1 in the manifest, timestamp before 2019", jar.Signed, "signed", "ok", signing{by: "rsa", stamped: early, entryDigests: []string{"SHA1"}})
	add("SHA-1 in the manifest, one of two timestamps", jar.Unsigned, "unsigned", "ok ok", signing{by: "rsa", stamped: early, entryDigests: []string{"SHA1"}},
		signing{by: "p256", name: "L"}).differs = manifestCounts

	for _, kind := range []string{"SIG-K", "K-L_1"} {
		good("named "+kind, signing{by: "rsa", name: kind})
	}
	c = good("bytes outside", signing{by: "rsa"})
	c.kinds = "outside outside outside outside"
	c.archive = func(a *ziptest.Archive) {
		a.Prefix, a.Adjust, a.Comment = []byte("#!/bin/sh\n"), true, "x"
		a.BeforeDirectory = []byte("APK")
		a.Entries[1].After = []byte("between")
	}
	c = good("entries with descriptors", signing{by: "rsa"})
	for i := range c.entries {
		c.entries[i].Descriptor = func(*ziptest.Descriptor) {}
	}
	c = add("entry cannot be decoded", jar.Bad, "bad", "ok", signing{by: "rsa"})
	for i := range c.entries {
		if c.entries[i].Name == "a.txt" {
			c.entries[i].Method, c.entries[i].Raw = ziptest.Deflate, []byte("\xff\xff\xff")
		}
	}
	c = add("wrong CRC", jar.Bad, "bad", "ok", signing{by: "rsa"})
	for i := range c.entries {
		if c.entries[i].Name == "a.txt" {
			c.entries[i].Header = func(h *ziptest.Header) { h.CRC32++ }
		}
	}
	c.differs = "java.util.zip.ZipFile does not look at the CRC"
	return cases
}

func verifyCases() []verifyCase {
	cases := []verifyCase{
		{name: "unsigned", entries: append([]ziptest.Entry{entry(manifestName, "A: 1\r\n")}, signedFiles()...), state: jar.Unsigned, a: "unsigned"},
		{name: "no manifest", entries: signedFiles(), state: jar.Unsigned, a: "unsigned"},
		{name: "digests in the manifest, no signature", entries: signJar(signedFiles(), signing{by: "rsa"})[:1], state: jar.Unsigned},
		{name: "no entries", state: jar.Unsigned},
	}
	cases = append(cases, signedCases()...)
	return append(cases, tampered("tampered: ", signJar(signedFiles(), signing{by: "rsa"}), "META-INF/K.SF", "META-INF/K.RSA")...)
}

func (c *verifyCase) build() ziptest.Archive {
	a := ziptest.Archive{Entries: slices.Clone(c.entries)}
	if c.archive != nil {
		c.archive(&a)
	}
	return a
}

func verify(t testing.TB, b []byte, o jar.VerifyOptions) *jar.Verification {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	defer z.Close()
	v, err := jar.Verify(context.Background(), z, o)
	require.NoError(t, err)
	return v
}

func signerStates(v *jar.Verification) string {
	var list []string
	for _, s := range v.Signers {
		switch {
		case s.Err != nil:
			list = append(list, "bad")
		case s.Refused != nil:
			list = append(list, "refused")
		default:
			list = append(list, "ok")
		}
	}
	return strings.Join(list, " ")
}

func statesOf(v *jar.Verification, name string) string {
	var list []string
	for _, e := range v.Entries {
		if e.Name == name {
			list = append(list, string(e.State))
		}
	}
	return strings.Join(list, " ")
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for _, c := range verifyCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := verify(t, c.build().Bytes(), jar.VerifyOptions{})
			require.Equal(t, c.state, v.State, "%+v", v.Signers)
			assert.Equal(t, c.signers, signerStates(v), "%+v", v.Signers)
			assert.Equal(t, c.a, statesOf(v, "a.txt"))
			if c.kinds != "" {
				var kinds []string
				for _, f := range v.Findings {
					kinds = append(kinds, f.Kind)
				}
				assert.Equal(t, c.kinds, strings.Join(kinds, " "), "%v", v.Findings)
			}
			for _, e := range v.Entries {
				assert.Equal(t, e.State == jar.Bad, e.Err != nil && !errors.Is(e.Err, jar.ErrWeak), e.Name)
				assert.Equal(t, e.State == jar.Signed || e.State == jar.Missing, len(e.Signers) > 0, e.Name)
				assert.Equal(t, e.State == jar.Missing, e.Entry == zipfile.Entry{}, e.Name)
			}
		})
	}
}

func TestVerifySigner(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 6, 1, 12, 0, 0, 0, time.UTC)
	b := ziptest.Archive{Entries: signJar(signedFiles(), signing{by: "leaf", digest: "SHA-384", stamped: at})}.Bytes()
	v := verify(t, b, jar.VerifyOptions{})
	require.Len(t, v.Signers, 1)
	s := v.Signers[0]
	assert.True(t, s.Counts())
	assert.Equal(t, "CN=leaf,O=Example", s.Subject())
	assert.Equal(t, "META-INF/K.EC", s.File)
	assert.Equal(t, "META-INF/K.SF", s.SignatureFile)
	assert.Equal(t, "SHA384withECDSA", s.Algorithm)
	assert.Equal(t, []string{"SHA-384"}, s.Digests)
	assert.True(t, s.WholeManifest)
	require.Len(t, s.Certificates, 2)
	assert.Equal(t, "CN=ca,O=Example", s.Certificates[1].Subject)
	assert.True(t, s.Certificates[0].X509.Equal(identities()["leaf"].certificate))
	assert.True(t, at.Equal(s.Timestamp.Time))
	assert.Equal(t, "CN=tsa,O=Example", s.Timestamp.Authority())

	roots := x509.NewCertPool()
	v = verify(t, b, jar.VerifyOptions{Roots: roots})
	assert.Equal(t, jar.Unsigned, v.State)
	var unknown x509.UnknownAuthorityError
	assert.ErrorAs(t, v.Signers[0].Refused, &unknown)
	roots.AddCert(identities()["ca"].certificate)
	v = verify(t, b, jar.VerifyOptions{Roots: roots})
	assert.Equal(t, jar.Signed, v.State)
	assert.Empty(t, v.Findings)
}

func TestVerifyLimits(t *testing.T) {
	t.Parallel()
	open := func(entries ...ziptest.Entry) *zipfile.ZipFile {
		z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: entries}.Bytes()), nil)
		require.NoError(t, err)
		t.Cleanup(func() { z.Close() })
		return z
	}
	var many []ziptest.Entry
	for i := range 65 {
		many = append(many, entry(fmt.Sprintf("META-INF/%d.RSA", i), "x"))
	}
	_, err := jar.Verify(t.Context(), open(many...), jar.VerifyOptions{})
	require.ErrorIs(t, err, zipfile.ErrLimit)
	_, err = jar.Verify(t.Context(), open(many[:64]...), jar.VerifyOptions{})
	require.NoError(t, err)

	good := signJar(signedFiles(), signing{by: "rsa"})
	for i := range 3 { // manifest, .SF file, block
		large := slices.Clone(good)
		large[i].Method, large[i].Zeros = ziptest.Deflate, 16_000_001
		v, err := jar.Verify(t.Context(), open(large...), jar.VerifyOptions{})
		require.NoError(t, err)
		assert.Equal(t, jar.Bad, v.State)
		assert.ErrorIs(t, v.Signers[0].Err, zipfile.ErrLimit)
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	_, err = jar.Verify(ctx, open(good...), jar.VerifyOptions{})
	require.ErrorIs(t, err, cause)
	z := open(good...)
	z.Close()
	_, err = jar.Verify(t.Context(), z, jar.VerifyOptions{})
	require.Error(t, err)

	files := []ziptest.Entry{{Name: "large", Data: make([]byte, 17<<20), Method: ziptest.Deflate}}
	v, err := jar.Verify(t.Context(), open(signJar(files, signing{by: "p256"})...), jar.VerifyOptions{})
	require.NoError(t, err)
	assert.Equal(t, jar.Signed, v.State)
}

// TestVerifyRenamed: what is read under a name that nobody has signed is not signed, though its contents are.
func TestVerifyRenamed(t *testing.T) {
	t.Parallel()
	for name, rename := range map[string]func(*ziptest.Entry){
		"Unicode Path": func(e *ziptest.Entry) { e.CentralExtra = ziptest.UnicodePath("a.txt", "META-INF/versions/9/b.txt") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries := signJar(signedFiles(), signing{by: "rsa"})
			for i := range entries {
				if entries[i].Name == "a.txt" {
					rename(&entries[i])
				}
			}
			z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: entries}.Bytes()), nil)
			require.NoError(t, err)
			defer z.Close()
			v, err := jar.Verify(t.Context(), z, jar.VerifyOptions{})
			require.NoError(t, err)
			assert.Equal(t, jar.Bad, v.State)
			bad := 0
			for _, e := range v.Entries {
				if e.State == jar.Bad {
					bad++
					assert.ErrorContains(t, e.Err, `was signed as "a.txt"`)
				}
			}
			assert.Equal(t, 1, bad)
		})
	}
}
