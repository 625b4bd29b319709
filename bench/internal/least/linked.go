//go:build linked

package main

// What zipcat has to be linked with: a command line with completions, and an HTTP server. Being linked in
// costs each start their initialization.
import (
	_ "net/http"

	_ "github.com/spf13/cobra"
)
