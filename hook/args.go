package hook

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// Options are the options of gavel hook and gavel-hook.
type Options struct {
	Host   string
	Agent  string
	Policy string
	// Key is the file of a public key that must have signed the policy; "" for none.
	Key        string
	Location   Location
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
	set.StringVar(&o.Key, "verification-key", "", "")
	set.StringVar(&o.Location.Socket, "socket", "", "")
	set.StringVar(&o.Location.State, "state", "", "")
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
	var wrong error
	if o.Timeout <= 0 {
		wrong = fmt.Errorf("--timeout %s is not a time limit", o.Timeout)
		o.Timeout = Timeout
	}
	for _, named := range [][2]string{{"--policy", o.Policy}, {"--verification-key", o.Key}, {"--socket", o.Location.Socket}, {"--state", o.Location.State}} {
		if option, path := named[0], named[1]; path != "" && !filepath.IsAbs(path) {
			wrong = errors.Join(wrong, fmt.Errorf("%s %s is not an absolute path: a hook runs in the project, and whoever writes the project would decide", option, path))
		}
	}
	return wrong
}
