// Command programcheck compares entries of the catalog of programs with the programs of
// this machine: options that the program's help or its shell completion names, and that
// the entry lacks or reads with another value. It runs NAME --help, git SUB -h, and reads
// the files of bash-completion; it never runs a program that is not named on its command
// line.
//
// Usage: programcheck ROOT NAME...
//
// It prints a line for each difference, and fails when there is one. A difference is mended
// in the entry, or explained there under unlisted or other_value.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"gavel/analyzer/programs"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "programcheck:", err)
		os.Exit(1)
	}
}

// run checks the programs that are named, behind the policy root.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("want the policy root and names of programs: programcheck rego git tar")
	}
	catalog, err := programs.Read(os.DirFS(args[0]))
	if err != nil {
		return err
	}
	found, checked := 0, 0
	for _, name := range args[1:] {
		e, _ := catalog.Find(name)
		if e == nil {
			return fmt.Errorf("%s has no entry in the catalog", name)
		}
		said, installed := help(ctx, name)
		if !installed {
			_, _ = fmt.Fprintf(out, "%s: not installed, left out\n", name)
			continue
		}
		from := catalog.Described(e)
		if from == nil {
			_, _ = fmt.Fprintf(out, "%s: its arguments are not described, left out\n", name)
			continue
		}
		checked++
		for _, difference := range compare(e, &from.Grammar, said) {
			found++
			_, _ = fmt.Fprintf(out, "%s: %s\n", name, difference)
		}
	}
	switch {
	case checked == 0:
		return errors.New("none of these programs is installed")
	case found > 0:
		return fmt.Errorf("%d differences: mend the entries, or explain them there under unlisted or other_value", found)
	}
	return nil
}
