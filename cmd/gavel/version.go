package main

import (
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"gavel/internal/strictjson"
)

// build is what the toolchain recorded about this binary.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go,omitempty"`
	OPA      string `json:"opa,omitempty"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of this binary, the commit, the Go that built it and the OPA in it.",
		Example: "  gavel version --output json",
		Args:    none,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.json() {
				return strictjson.Write(a.stdout, b)
			}
			a.printf("gavel %s\n", b)
			return nil
		},
	}
}

// String returns everything that is known about the build, in one line.
func (b build) String() string {
	words := []string{b.Version}
	if b.Revision != "" {
		words = append(words, "commit "+b.Revision)
	}
	if b.OPA != "" {
		words = append(words, "opa "+b.OPA)
	}
	return strings.Join(append(words, b.Go), ", ")
}

// thisBuild reads what the toolchain recorded in this binary. A build outside a module or a
// release has the version "dev".
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
	for _, module := range info.Deps {
		if module.Path == "github.com/open-policy-agent/opa" {
			b.OPA = module.Version
		}
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.Revision = setting.Value
		}
	}
	return b
}
