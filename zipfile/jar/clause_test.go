package jar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// clauseText writes clauses in full: "a;b [x=1] [y:T=2] {d=3}".
func clauseText(list []jar.Clause) []string {
	var texts []string
	for _, c := range list {
		text := strings.Join(c.Paths, ";")
		for _, p := range c.Attributes {
			kind := ""
			if p.Type != "" {
				kind = ":" + p.Type
			}
			text += fmt.Sprintf(" [%s%s=%s]", p.Name, kind, p.Value)
		}
		for _, p := range c.Directives {
			text += fmt.Sprintf(" {%s=%s}", p.Name, p.Value)
		}
		texts = append(texts, text)
	}
	return texts
}

func TestParseClauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value string
		want  []string
		err   string
	}{
		{"a", []string{"a"}, ""},
		{"a.b,c.d", []string{"a.b", "c.d"}, ""},
		{" a ; b ,\tc ", []string{"a;b", "c"}, ""},
		{`a;version="[1.0,2.0)",b;version=1.2;resolution:=optional`, []string{"a [version=[1.0,2.0)]", "b [version=1.2] {resolution=optional}"}, ""},
		{`a;b;uses:="x.y,x.z";version="1"`, []string{"a;b [version=1] {uses=x.y,x.z}"}, ""},
		{`a ; version = "1" ; d := x , b`, []string{"a [version=1] {d=x}", "b"}, ""},
		{`com.example.app;singleton:=true`, []string{"com.example.app {singleton=true}"}, ""},
		{`osgi.ee;filter:="(&(osgi.ee=JavaSE)(version=17))"`, []string{"osgi.ee {filter=(&(osgi.ee=JavaSE)(version=17))}"}, ""},
		{`x;filter:=(a=b)`, []string{"x {filter=(a=b)}"}, ""},
		{`c;v:Version="1.2";l:List<String>="a,b";n:Long=3`, []string{"c [v:Version=1.2] [l:List<String>=a,b] [n:Long=3]"}, ""},
		{`"lib/a b.jar","c,d.jar"`, []string{"lib/a b.jar", "c,d.jar"}, ""},
		{`a;x="say \"hi\" \\ \, \n"`, []string{`a [x=say "hi" \ \, \n]`}, ""},
		{`a;x=`, []string{"a [x=]"}, ""},
		{`a;x=""`, []string{"a [x=]"}, ""},
		{`a;x=1;x=2`, []string{"a [x=1] [x=2]"}, ""},
		{`Apache-2.0;link="https://www.apache.org/licenses/LICENSE-2.0.txt"`, []string{"Apache-2.0 [link=https://www.apache.org/licenses/LICENSE-2.0.txt]"}, ""},
		{`http://www.apache.org/licenses/`, []string{"http://www.apache.org/licenses/"}, ""},
		{"", nil, "empty element at byte 0"},
		{"a,", []string{"a"}, "empty element at byte 2"},
		{"a,,b", []string{"a"}, "empty element at byte 2"},
		{"a;", nil, "empty element at byte 2"},
		{"a;x=1;b", nil, "path behind a parameter at byte 6"},
		{"x=1", nil, "parameter without a path before it at byte 0"},
		{"a;=1", nil, "parameter without a name at byte 2"},
		{"a;:=1", nil, "parameter without a name at byte 2"},
		{`a;"x"=1`, nil, "name of a parameter in quotes at byte 2"},
		{`a,b;x="1`, []string{"a"}, "unclosed quote at byte 6"},
		{`a;x="1\"`, nil, "unclosed quote at byte 4"},
		{`a;x="1"2`, nil, "text behind a quote at byte 7"},
	} {
		t.Run(c.value, func(t *testing.T) {
			list, err := jar.ParseClauses(c.value)
			assert.Equal(t, c.want, clauseText(list))
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.err)
			require.ErrorIs(t, err, zipfile.ErrFormat)
		})
	}
}

func TestClauses(t *testing.T) {
	t.Parallel()
	m, err := jar.ParseManifest([]byte("import-package: a;version=\"[1,2)\";resolution:=optional\nExport-Package: b,c;x:=1\nRequire-Bundle: d;bundle-version=3\nBundle-SymbolicName: e;;\n"))
	require.NoError(t, err)
	list, err := m.ImportPackage()
	require.NoError(t, err)
	require.Len(t, list, 1)
	version, ok := list[0].Attribute("version")
	assert.Equal(t, "[1,2)", version)
	assert.True(t, ok)
	resolution, ok := list[0].Directive("resolution")
	assert.Equal(t, "optional", resolution)
	assert.True(t, ok)
	_, ok = list[0].Attribute("resolution")
	assert.False(t, ok)
	list, err = m.ExportPackage()
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "c {x=1}"}, clauseText(list))
	list, err = m.RequireBundle()
	require.NoError(t, err)
	assert.Equal(t, []string{"d [bundle-version=3]"}, clauseText(list))
	_, err = m.Clauses("Bundle-SymbolicName")
	require.EqualError(t, err, "Bundle-SymbolicName: empty element at byte 2")
	list, err = m.Clauses("Fragment-Host")
	require.NoError(t, err)
	assert.Empty(t, list)
}
