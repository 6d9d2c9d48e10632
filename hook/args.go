package hook

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// Options are the options of gavel hook and gavel-hook.
type Options struct {
	Host       string
	Agent      string
	Policy     string
	Place      Place
	Timeout    time.Duration
	Unattended bool
}

// ParseArgs reads the command line of gavel-hook. With an error, it also returns the options that
// could be read, for a reply that the host understands.
func ParseArgs(args []string) (Options, error) {
	o := Options{Timeout: Timeout}
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		o.Host, args = args[0], args[1:]
	}
	set := flag.NewFlagSet("gavel-hook", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.Agent, "agent", "", "")
	set.StringVar(&o.Policy, "policy", "", "")
	set.StringVar(&o.Place.Socket, "socket", "", "")
	set.StringVar(&o.Place.State, "state", "", "")
	set.DurationVar(&o.Timeout, "timeout", Timeout, "")
	set.BoolVar(&o.Unattended, "unattended", false, "")
	err := set.Parse(args)
	if err == nil && o.Host == "" && set.NArg() == 1 {
		o.Host = set.Arg(0)
	} else if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q: name only one host", set.Arg(0))
	}
	return o, errors.Join(err, o.Check())
}

// Check reports invalid options, and replaces an invalid time limit by the default.
func (o *Options) Check() error {
	if o.Timeout > 0 {
		return nil
	}
	wrong := o.Timeout
	o.Timeout = Timeout
	return fmt.Errorf("--timeout %s is not a time limit", wrong)
}
