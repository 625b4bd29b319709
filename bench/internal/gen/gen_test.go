package gen

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"os"
)
func TestX(t *testing.T){
	var b bytes.Buffer
	if err:=Jar(&b,20000,1);err!=nil{t.Fatal(err)}
	os.WriteFile("/tmp/gen.jar",b.Bytes(),0o644)
	z,_:=zip.NewReader(bytes.NewReader(b.Bytes()),int64(b.Len()))
	h:=sha256.New()
	for _,f:=range z.File{ fmt.Fprintln(h,f.Name,f.CRC32,f.UncompressedSize64)}
	t.Log(hex.EncodeToString(h.Sum(nil)))
}
