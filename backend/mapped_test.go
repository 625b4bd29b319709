package backend

import (
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

type faultAt uintptr

func (faultAt) RuntimeError()   {}
func (faultAt) Error() string   { return "fault" }
func (a faultAt) Addr() uintptr { return uintptr(a) }

type runtimeError struct{}

func (runtimeError) RuntimeError() {}
func (runtimeError) Error() string { return "not a fault" }

func TestFaultOutside(t *testing.T) {
	t.Parallel()
	p := make([]byte, 100)
	start := reflect.ValueOf(p).Pointer()
	for _, test := range []struct {
		what      string
		recovered any
		want      bool
	}{
		{"before", faultAt(start - 1), true},
		{"first byte", faultAt(start), false},
		{"last byte", faultAt(start + 99), false},
		{"behind", faultAt(start + 100), true},
		{"nil", faultAt(0), true},
		{"top", faultAt(^uintptr(0)), true},
		{"another runtime error", runtimeError{}, false},
		{"another error", errors.New("fault"), false},
		{"no error", "fault", false},
	} {
		assert.Equal(t, test.want, faultOutside(p, test.recovered), test.what)
	}
}
