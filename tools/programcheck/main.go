// Command programcheck compares entries of the catalog of programs with the programs on this
// machine.
//
// Usage: programcheck ROOT NAME...
//
// For each named program and its sub-commands it reads the help, the manual page and the shell
// completion. It prints a line for each option that the entry lacks, or for which the entry gives
// another kind of value, and fails if there is such a line. Correct the entry, or explain the
// difference there under unlisted or other_value.
//
// A multi-call binary such as busybox supports fewer options than the programs that it replaces,
// so options that it lacks are ignored. Besides man, programcheck runs only the programs that are
// named on its command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sync/errgroup"

	"gavel/analyzer/programs"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "programcheck:", err)
		os.Exit(1)
	}
}

// run checks the named programs. The first argument is the policy root.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("want the policy root and names of programs, as in: programcheck rego git tar")
	}
	catalog, err := programs.ReadSources(os.DirFS(args[0]))
	if err != nil {
		return err
	}
	c := checker{catalog: catalog, out: out}
	for _, name := range args[1:] {
		if err := c.program(ctx, name); err != nil {
			return err
		}
	}
	switch {
	case c.checked == 0:
		return errors.New("none of these programs is installed")
	case c.found > 0:
		return fmt.Errorf("%d differences: correct the entries, or explain the differences there under unlisted or other_value", c.found)
	}
	return nil
}

// checker compares programs and counts the differences.
type checker struct {
	catalog *programs.Catalog
	out     io.Writer
	checked int // programs that are installed and have options
	found   int // differences
}

// program compares one program, if it is installed.
func (c *checker) program(ctx context.Context, name string) error {
	e, _ := c.catalog.Find(name)
	if e == nil {
		return fmt.Errorf("%s has no entry in the catalog", name)
	}
	path, err := exec.LookPath(name)
	switch {
	case err != nil:
		c.print(name, "skipped, because it is not installed")
	case e.Wrapper != nil && len(e.Wrapper.Applets) > 0:
		c.checked++
		for _, applet := range e.Wrapper.Applets {
			c.applet(ctx, path, name, applet)
		}
	case c.catalog.DescribedBy(e) == nil && len(e.Options) == 0:
		c.print(name, "skipped, because its entry has no options")
	default:
		c.checked++
		commands := commandsOf(e, c.grammar(e))
		docs := make([]documentedOptions, len(commands))
		general := output(ctx, path, helpArgs(name, nil)...)
		var group errgroup.Group
		group.SetLimit(4)
		for i, command := range commands {
			group.Go(func() error {
				docs[i] = readDocumentation(ctx, name, path, command.path, command.hasSubcommands(), general)
				return nil
			})
		}
		_ = group.Wait() // no function returns an error
		for i, command := range commands {
			c.report(name, command.compare(docs[i]))
		}
	}
	return nil
}

// applet compares a program of a multi-call binary with the entry of that name, but only the
// options that both have.
func (c *checker) applet(ctx context.Context, path, name, applet string) {
	e := c.catalog.Exactly(applet)
	if e == nil {
		return
	}
	docs := documentedOptions{}
	parseHelp(docs, output(ctx, path, applet, "--help"))
	command := commandsOf(e, c.grammar(e))[0]
	command.partial = true
	c.report(name+" "+applet, command.compare(docs))
}

// grammar returns the grammar that applies to an entry, which may be that of another entry.
func (c *checker) grammar(e *programs.Entry) *programs.Grammar {
	if other := c.catalog.DescribedBy(e); other != nil {
		return &other.Grammar
	}
	return &e.Grammar
}

func (c *checker) report(name string, differences []string) {
	c.found += len(differences)
	for _, difference := range differences {
		c.print(name, difference)
	}
}

func (c *checker) print(name, text string) { _, _ = fmt.Fprintf(c.out, "%s: %s\n", name, text) }
