package main

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gavel/internal/strictjson"
)

// build is what the toolchain recorded about this binary.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go,omitempty"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of this binary, its revision and the Go that built it.",
		Example: "  gavel version --output json",
		Args:    none,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.json() {
				return strictjson.Write(a.stdout, b)
			}
			words := []string{"gavel", b.Version, b.Revision, b.Go}
			a.printf("%s\n", strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
			return nil
		},
	}
}

// thisBuild reads what the binary knows about itself. A build outside a module
// or a release is "dev".
func thisBuild() build {
	b := build{Version: "dev"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Revision = setting.Value
		}
	}
	return b
}
