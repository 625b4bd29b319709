package bzip2

import (
	"bytes"
	std "compress/bzip2"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func cpu(who int) time.Duration {
	if who == 1 {
		var ts unix.Timespec
		unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
		return time.Duration(ts.Nano())
	}
	var u syscall.Rusage
	syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestVersus prints least CPU time, interleaved.
func TestVersus(t *testing.T) {
	if os.Getenv("VERSUS") == "" {
		t.Skip()
	}
	for _, n := range []string{"text", "bin"} {
		src := local(t, n)
		var mine, stdt, z7 time.Duration = 1 << 60, 1 << 60, 1 << 60
		p := make([]byte, 32<<10)
		for i := range 12 {
			a := cpu(0)
			z := NewReader(bytes.NewReader(src))
			for {
				if _, err := z.Read(p); err != nil {
					require.Equal(t, io.EOF, err)
					break
				}
			}
			z.Free()
			mine = min(mine, cpu(0)-a)
			if os.Getenv("VERSUS") == "1" {
				continue
			}
			a = cpu(-1)
			require.NoError(t, exec.Command("7zz", "t", "-mmt1", "/tmp/xzt/data/"+n+"-BZip2.zip").Run())
			z7 = min(z7, cpu(-1)-a)
			if i%3 == 0 {
				a = cpu(0)
				io.Copy(io.Discard, std.NewReader(bytes.NewReader(src)))
				stdt = min(stdt, cpu(0)-a)
			}
		}
		fmt.Println(n, "mine", mine, "7zz", z7, "std", stdt, "mine/7zz", float64(mine)/float64(z7), "mine/std", float64(mine)/float64(stdt))
	}
}
