// Package jar reads from an open archive what a Java virtual machine sees in it: the manifest
// ([ReadManifest]), who signed it ([Verify]), what names stand for in a multi-release archive
// ([NewView]), which module it is ([ReadModule]) and what services it has ([Services]). [OpenClassPath]
// finds classes in many archives, [OpenPath] and [OpenNested] open archives within archives, and
// [ReadLayout] knows where those of Spring Boot, Jakarta EE and Android have their classes and libraries.
//
//	z, err := zipfile.Open("app.jar", nil)
//	if err != nil {
//		return err
//	}
//	defer z.Close()
//	m, err := jar.ReadManifest(z)
//	if err != nil {
//		return err
//	}
//	fmt.Println(m.MainClass(), m.ClassPath(), m.MultiRelease())
//	v, err := jar.Verify(ctx, z, jar.VerifyOptions{})
//	if err != nil {
//		return err
//	}
//	fmt.Println(v.State)
//
// The rules are those of the JAR File Specification; where it leaves something open, or OpenJDK
// does otherwise, OpenJDK's java.util.jar decides, releases 17 and 25 of which the tests compare.
// Comments say where that is so.
package jar
