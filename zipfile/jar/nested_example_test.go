package jar_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

func exampleBootJar() []byte {
	lib := ziptest.Archive{Entries: []ziptest.Entry{{Name: "com/lib/L.class", Data: []byte("class")}}}.Bytes()
	return ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "META-INF/MANIFEST.MF", Data: []byte("Manifest-Version: 1.0\nMain-Class: org.springframework.boot.loader.launch.JarLauncher\n")},
		{Name: "BOOT-INF/classes/App.class", Data: []byte("app")},
		{Name: "BOOT-INF/lib/lib.jar", Data: lib},
		{Name: "BOOT-INF/classpath.idx", Data: []byte("- \"BOOT-INF/lib/lib.jar\"\n")},
	}}.Bytes()
}

func ExampleOpenNested() {
	z, err := zipfile.New(backend.Bytes(exampleBootJar()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	ctx := context.Background()
	o := &jar.NestedOptions{Budget: &jar.Budget{Total: 100 << 20}}
	for e := range jar.Nested(z) {
		d, err := jar.Digest(ctx, e)
		if err != nil {
			log.Fatal(err)
		}
		in, err := jar.OpenNested(ctx, e, o)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Name(), len(d.SHA1), d.Size == e.Size(), in.At(0).Name())
		in.Close()
	}
	// Output:
	// BOOT-INF/lib/lib.jar 20 true com/lib/L.class
}

func ExampleOpenPath() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	app := filepath.Join(dir, "app.jar")
	if err := os.WriteFile(app, exampleBootJar(), 0o666); err != nil {
		log.Fatal(err)
	}
	z, name, err := jar.OpenPath(context.Background(), app+"!/BOOT-INF/lib/lib.jar!/com/lib/L.class", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	e, _ := z.Lookup(name)
	b, err := e.ReadAll()
	fmt.Printf("%s: %s %v\n", name, b, err)
	// Output:
	// com/lib/L.class: class <nil>
}

func ExampleReadLayout() {
	z, err := zipfile.New(backend.Bytes(exampleBootJar()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	l, err := jar.ReadLayout(z)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Kind)
	fmt.Println(strings.Join(l.ClassPath("app.jar"), "\n"))
	// Output:
	// spring-boot-jar
	// app.jar!/BOOT-INF/classes/
	// app.jar!/BOOT-INF/lib/lib.jar
}
