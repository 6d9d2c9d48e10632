// Command programcheck compares entries of the catalog of programs with the programs on this
// machine. It names each option that is in the help, the manual page or the shell completion of a
// program or sub-command, and that the entry lacks or reads with another value. For busybox, it
// compares the options that its programs share with the entries of those programs. It runs NAME
// [SUB] --help and man, and reads the files of bash-completion. It runs no program that is not
// named on its command line.
//
// Usage: programcheck ROOT NAME...
//
// It prints a line for each difference, and fails if there is one. Correct the entry, or explain
// the difference there under unlisted or other_value.
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
		return errors.New("want the policy root and names of programs: programcheck rego git tar")
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

// checker counts what it compared and what it found.
type checker struct {
	catalog        *programs.Catalog
	out            io.Writer
	checked, found int
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
		c.say(name, "not installed, left out")
	case e.Wrapper != nil && len(e.Wrapper.Applets) > 0:
		c.checked++
		for _, applet := range e.Wrapper.Applets {
			c.applet(ctx, path, name, applet)
		}
	case c.catalog.Described(e) == nil && len(e.Options) == 0:
		c.say(name, "the entry has no options, left out")
	default:
		c.checked++
		asked := parts(e, c.grammar(e))
		answers := make([]sayings, len(asked))
		var group errgroup.Group
		group.SetLimit(4)
		for i, part := range asked {
			group.Go(func() error {
				answers[i] = ask(ctx, name, path, part.path, part.group())
				return nil
			})
		}
		_ = group.Wait() // no function returns an error
		for i, part := range asked {
			c.report(name, part.compare(answers[i]))
		}
	}
	return nil
}

// applet compares one program of a multi-call binary with the entry of that name, but only the
// options that both have: a multi-call binary has fewer options.
func (c *checker) applet(ctx context.Context, path, name, applet string) {
	e := c.catalog.Exactly(applet)
	if e == nil {
		return
	}
	said := sayings{}
	options(said, output(ctx, path, applet, "--help"))
	part := parts(e, c.grammar(e))[0]
	part.lacks = true
	c.report(name+" "+applet, part.compare(said))
}

// grammar returns the grammar of an entry.
func (c *checker) grammar(e *programs.Entry) *programs.Grammar {
	if other := c.catalog.Described(e); other != nil {
		return &other.Grammar
	}
	return &e.Grammar
}

func (c *checker) report(name string, differences []string) {
	c.found += len(differences)
	for _, difference := range differences {
		c.say(name, difference)
	}
}

func (c *checker) say(name, text string) { _, _ = fmt.Fprintf(c.out, "%s: %s\n", name, text) }
