// Command sbom prints the components of a Go binary as a CycloneDX 1.5 document: the modules that
// the toolchain recorded in it, with their versions and checksums.
//
// Usage: sbom BINARY
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("want one argument, the binary")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("read the binary: %w", err)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(newDocument(info))
}

// document contains the fields of CycloneDX that this command writes.
type document struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func newDocument(info *debug.BuildInfo) document {
	main := component{Type: "application", Name: info.Main.Path, Version: info.Main.Version}
	for _, setting := range info.Settings {
		main.Properties = append(main.Properties, property{"go:build:" + setting.Key, setting.Value})
	}
	d := document{Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: metadata{main},
		Components: []component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion}}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		d.Components = append(d.Components, component{Type: "library", Name: module.Path, Version: module.Version,
			PURL: "pkg:golang/" + module.Path + "@" + module.Version, Properties: []property{{"go:sum", module.Sum}}})
	}
	return d
}
