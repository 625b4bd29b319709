package jar_test

import (
	"context"
	"fmt"
	"log"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

func exampleJar() *zipfile.ZipFile {
	b := ziptest.Archive{Entries: []ziptest.Entry{{Name: "META-INF/MANIFEST.MF", Data: []byte("Manifest-Version: 1.0\r\n" +
		"Main-Class: com.example.App\r\n" +
		"Class-Path: lib/one.jar lib/tw\r\n o.jar\r\n" +
		"Import-Package: org.slf4j;version=\"[2.0,3)\",javax.inject;resolution:=opti\r\n onal\r\n" +
		"\r\n" +
		"Name: com/example/\r\n" +
		"Sealed: true\r\n")}}}.Bytes()
	z, err := zipfile.New(backend.Bytes(b), nil)
	if err != nil {
		log.Fatal(err)
	}
	return z
}

func ExampleReadManifest() {
	z := exampleJar()
	defer z.Close()
	m, err := jar.ReadManifest(z)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.MainClass())
	fmt.Printf("%q\n", m.ClassPath())
	fmt.Println(m.Package("com.example").Sealed)
	// Output:
	// com.example.App
	// ["lib/one.jar" "lib/two.jar"]
	// true
}

func ExampleManifest_ImportPackage() {
	z := exampleJar()
	defer z.Close()
	m, err := jar.ReadManifest(z)
	if err != nil {
		log.Fatal(err)
	}
	clauses, err := m.ImportPackage()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range clauses {
		version, _ := c.Attribute("version")
		resolution, _ := c.Directive("resolution")
		fmt.Printf("%s %q %q\n", c.Paths[0], version, resolution)
	}
	// Output:
	// org.slf4j "[2.0,3)" ""
	// javax.inject "" "optional"
}

func ExampleVerify() {
	z := exampleJar()
	defer z.Close()
	v, err := jar.Verify(context.Background(), z, jar.VerifyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range v.Signers {
		fmt.Println(s.File, s.Subject(), s.Algorithm, s.Err)
	}
	for _, e := range v.Entries {
		if e.State == jar.Bad {
			fmt.Println(e.Name, e.Err)
		}
	}
	fmt.Println(v.State)
	// Output:
	// unsigned
}

func ExampleView_Lookup() {
	a := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "META-INF/MANIFEST.MF", Data: []byte("Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n")},
		{Name: "a/B.class"},
		{Name: "META-INF/versions/11/a/B.class"},
	}}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	for _, release := range []int{9, 17} {
		v, err := jar.NewView(z, release)
		if err != nil {
			log.Fatal(err)
		}
		e, _ := v.Lookup("a/B.class")
		fmt.Println(release, e.Name())
	}
	// Output:
	// 9 a/B.class
	// 17 META-INF/versions/11/a/B.class
}
