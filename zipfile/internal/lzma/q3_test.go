package lzma
import ("testing";"crypto/sha256";"io";"os";"path/filepath";"fmt")
func TestQF(t *testing.T) {
	fs,_ := filepath.Glob("/tmp/lz/f/*.xz")
	for _, f := range fs {
		h,_ := os.Open(f)
		r := NewXZReader(h, -1, 0)
		s := sha256.New()
		n, err := io.Copy(s, r)
		fmt.Printf("%x %s %d %v\n", s.Sum(nil)[:8], f, n, err)
	}
}
