package main

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// archiveFacts are what info tells of an archive, and its object in JSON. Sizes and offsets are in
// bytes, offsets from the start of the file.
type archiveFacts struct {
	Archive       string         `json:"archive"`
	Kind          string         `json:"kind"`
	Jar           *jarFacts      `json:"jar,omitempty"`
	Size          int64          `json:"size"`
	Parts         int            `json:"parts"`
	Backend       string         `json:"backend"`
	BackendReason string         `json:"backend_reason,omitempty"`
	Charset       string         `json:"charset,omitempty"` // that was guessed
	Prefix        int64          `json:"prefix"`
	SigningBlock  int64          `json:"signing_block,omitempty"` // of an APK
	Rebuilt       bool           `json:"rebuilt,omitempty"`       // by --recover; then the next three are not there
	Directory     *placeFacts    `json:"directory,omitempty"`
	EndRecord     *int64         `json:"end_record,omitempty"` // where it is
	Zip64         bool           `json:"zip64"`
	Tail          int64          `json:"tail"`
	Comment       string         `json:"comment"`
	Contents      count          `json:"contents"`
	Directories   int64          `json:"directories"`
	Links         int64          `json:"links"`
	Archives      int64          `json:"archives"`
	Encrypted     int64          `json:"encrypted"`
	Methods       []methodFacts  `json:"methods"`
	Largest       []largeFacts   `json:"largest,omitempty"`
	Limits        limitFacts     `json:"limits"`
	Findings      []foundFinding `json:"findings"`
}

// placeFacts are where something is.
type placeFacts struct {
	Offset int64 `json:"offset"`
	Size   int64 `json:"size"`
}

// methodFacts are the entries of a compression method.
type methodFacts struct {
	Method string `json:"method"`
	count
}

// largeFacts are one of the largest entries.
type largeFacts struct {
	Name           string `json:"name"`
	Size           int64  `json:"size"`
	CompressedSize int64  `json:"compressed_size"`
}

// limitFacts are what is refused; 0 is no limit.
type limitFacts struct {
	Directory int64 `json:"directory"`
	Entry     int64 `json:"entry"`
	Ratio     int64 `json:"ratio"`
}

func (l limitFacts) String() string {
	text := fmt.Sprintf("directory %d MiB", l.Directory>>20)
	if l.Entry > 0 {
		text += fmt.Sprintf(", entry %d bytes", l.Entry)
	}
	if l.Ratio > 0 {
		text += fmt.Sprintf(", ratio %d", l.Ratio)
	}
	return text
}

func (a *app) factsOf(ar *archive) *archiveFacts {
	st, b := ar.Structure(), ar.Backend()
	f := &archiveFacts{
		Archive: ar.name, Kind: kindOf(ar.ZipFile), Jar: jarFactsOf(ar), Size: st.Size, Parts: st.Parts, Backend: b.Name,
		BackendReason: b.Reason, Charset: ar.charset, Prefix: st.Prefix, Rebuilt: st.Rebuilt, Zip64: st.Zip64, Tail: st.Tail,
		Comment: ar.Comment(), Limits: limitFacts{maxDirectory, int64(a.flags.maxSize), a.flags.maxRatio}, Findings: foundFindings(ar.Findings()),
	}
	if block, err := jar.ReadAPKSigningBlock(ar.ZipFile); err == nil {
		f.SigningBlock = block.Size
	}
	if !st.Rebuilt {
		f.Directory, f.EndRecord = &placeFacts{st.Directory, st.DirectorySize}, &st.End
	}
	methods := make(map[zipfile.Method]*methodFacts)
	for e := range ar.Entries() {
		f.Contents.add(e)
		m := methods[e.Method()]
		if m == nil {
			m = &methodFacts{Method: e.Method().String()}
			methods[e.Method()] = m
		}
		m.add(e)
		switch {
		case e.IsDir():
			f.Directories++
		case e.Mode()&fs.ModeSymlink != 0:
			f.Links++
		case jar.ArchiveName(e.Name()):
			f.Archives++
		}
		if e.Encrypted() {
			f.Encrypted++
		}
	}
	f.Methods = []methodFacts{}
	for _, m := range slices.Sorted(maps.Keys(methods)) {
		f.Methods = append(f.Methods, *methods[m])
	}
	for _, e := range largest(ar.ZipFile) {
		f.Largest = append(f.Largest, largeFacts{e.Name(), e.Size(), e.CompressedSize()})
	}
	return f
}

// largestShown is how many of the largest entries are named.
const largestShown = 10

// largest returns the largest entries, if there are more than those.
func largest(z *zipfile.ZipFile) []zipfile.Entry {
	var top []zipfile.Entry // largest first
	if z.Len() <= largestShown {
		return nil
	}
	for e := range z.Entries() {
		if len(top) == largestShown && e.Size() <= top[len(top)-1].Size() || e.Size() == 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, e, func(x, e zipfile.Entry) int {
			if x.Size() >= e.Size() {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, i, e)
		top = top[:min(len(top), largestShown)]
	}
	return top
}
