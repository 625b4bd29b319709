// Package jar reads from an open archive what a Java virtual machine sees in it: the manifest
// ([ReadManifest]), who signed it ([Verify]), and what names stand for in a multi-release archive
// ([NewView]).
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
