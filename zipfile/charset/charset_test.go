package charset_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"

	"zipcat.dev/zipfile/charset"
)

func TestGuess(t *testing.T) {
	for _, c := range []struct {
		label string
		names []string
	}{
		{"IBM437", []string{"plain.txt"}},
		{"IBM437", []string{"café.txt", "Überblick/größe.doc"}},
		{"IBM850", []string{"Ação/não.txt", "São Paulo.txt", "Éric.txt", "à côté.txt"}},
		{"windows-1252", []string{"café.txt", "Übersicht.doc"}},
		{"windows-1252", []string{"Ação/não.txt"}},
		{"windows-1250", []string{"Příliš žluťoučký kůň.txt", "úpěl ďábelské ódy.txt"}},
		{"IBM852", []string{"Příliš žluťoučký kůň.txt", "zażółć gęślą jaźń.txt"}},
		{"IBM866", []string{"Документы/отчёт за год.doc"}},
		{"windows-1251", []string{"Документы/отчёт за год.doc", "Новая папка"}},
		{"koi8-r", []string{"Документы/отчёт за год.doc", "Новая папка"}},
		{"windows-1253", []string{"Έγγραφα/αναφορά.doc", "φάκελος"}},
		{"windows-1255", []string{"מסמכים/דוח שנתי.doc"}},
		{"shift_jis", []string{"新しいフォルダ/テキスト.txt"}},
		{"shift_jis", []string{"日本語.txt", "表示.txt"}},
		{"euc-jp", []string{"新しいフォルダ/テキスト.txt", "日本語の文書.txt"}},
		{"gbk", []string{"新建文件夹/文档.txt", "说明书.doc"}},
		{"euc-kr", []string{"새 폴더/문서.txt", "한국어 이름.txt"}},
		{"big5", []string{"新增資料夾/說明文件.txt", "報告書.doc"}},
	} {
		enc, err := htmlindex.Get(c.label)
		if err != nil {
			enc, err = ianaindex.IANA.Encoding(c.label)
		}
		require.NoError(t, err, c.label)
		var raw []string
		for _, name := range c.names {
			s, err := enc.NewEncoder().String(name)
			require.NoError(t, err, "%s in %s", name, c.label)
			raw = append(raw, s)
		}
		label, got := charset.Guess(slices.Values(raw))
		assert.Equal(t, c.label, label, "%q", c.names)
		for i, s := range raw {
			name, err := got.NewDecoder().String(s)
			require.NoError(t, err)
			assert.Equal(t, c.names[i], name)
		}
	}
}

// Names in UTF-8 say nothing about the others.
func TestGuessIgnoresUTF8(t *testing.T) {
	label, _ := charset.Guess(slices.Values([]string{"日本語.txt", "caf\x82.txt"}))
	assert.Equal(t, "IBM437", label)
	label, _ = charset.Guess(slices.Values([]string(nil)))
	assert.Equal(t, "IBM437", label)
}

func FuzzGuess(f *testing.F) {
	f.Add("caf\x82", "\x93\xfa\x96{")
	f.Fuzz(func(t *testing.T, a, b string) {
		label, enc := charset.Guess(slices.Values([]string{a, b}))
		if of, ok := charset.ByLabel(label); !ok || enc != of {
			t.Fatalf("label %q of another charset", label)
		}
	})
}
