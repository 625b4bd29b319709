//go:build unix || windows

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	_ "time/tzdata" // scripts set TZ

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zipcat": main})
}

// TestScripts runs testdata/script once for each backend. A script makes its archives by mkzip
// from descriptions that it holds.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"pread", "mapped"} {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir:                 "testdata/script",
				RequireExplicitExec: true,
				Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"mkzip": mkzip, "mkdeep": mkdeep, "tty": tty, "exits": exits, "modes": modes},
				Setup: func(e *testscript.Env) error {
					e.Setenv("ZIPFILE_BACKEND", kind)
					e.Setenv("TZ", "UTC")
					data, err := filepath.Abs("../../testdata")
					if err != nil {
						return err
					}
					e.Setenv("TESTDATA", data)
					e.Setenv("GORACE", "atexit_sleep_ms=0") // else a second for each command
					return nil
				},
				Condition: func(cond string) (bool, error) {
					switch cond {
					case "devfull":
						_, err := os.Stat("/dev/full")
						return err == nil, nil
					case "root":
						return os.Geteuid() == 0, nil
					}
					return false, fmt.Errorf("no such condition")
				},
			})
		})
	}
}
