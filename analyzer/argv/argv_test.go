package argv_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/analyzer/argv"
)

// grammar has one option of each kind: -q takes nothing, -n a value, -i a value in the
// same word only, and --set two words.
func grammar(change func(*argv.Grammar)) *argv.Grammar {
	g := &argv.Grammar{Options: map[string]argv.Option{}}
	for name, takes := range map[string]argv.Takes{
		"-q": argv.None, "--quiet": argv.None, "--quick": argv.None,
		"-n": argv.Value, "--number": argv.Value,
		"-i": argv.Optional, "--in-place": argv.Optional,
		"--set": argv.Pair, "-exec": argv.Value,
	} {
		g.Options[name] = argv.Option{Name: name, Takes: takes}
	}
	if change != nil {
		change(g)
	}
	return g
}

// shown writes a reading in one line: options with what they were given and where they
// are, operands in brackets, and what is not certain.
func shown(r argv.Reading) string {
	var parts []string
	for _, o := range r.Options {
		text := fmt.Sprintf("%s@%d", o.Name, o.Index)
		if o.Plus {
			text += "+"
		}
		if o.HasValue {
			text += "=" + o.Value
		}
		if !o.Known {
			text += "?"
		}
		if o.Abbreviated {
			text += "~"
		}
		parts = append(parts, text)
	}
	slices.Sort(parts)
	for _, o := range r.Operands {
		mayTakeNext := ""
		if o.MaybeValue {
			mayTakeNext = "?"
		}
		parts = append(parts, fmt.Sprintf("[%s@%d]%s", o.Text, o.Index, mayTakeNext))
	}
	if r.Uncertain {
		parts = append(parts, "uncertain")
	}
	if len(r.AnyOption) > 0 {
		parts = append(parts, fmt.Sprintf("anything%v", r.AnyOption))
	}
	if r.Unread != nil {
		parts = append(parts, fmt.Sprintf("unread %s: %s", r.Unread.Word, r.Unread.Why))
	}
	return strings.Join(parts, " ")
}

func TestWordsAreReadAsTheProgramReadsThem(t *testing.T) {
	t.Parallel()
	single := func(g *argv.Grammar) { g.Style = argv.StyleSingle }
	predicates := func(g *argv.Grammar) { g.Style = argv.StylePredicates }
	for name, c := range map[string]struct {
		change func(*argv.Grammar)
		words  []string
		want   string
	}{
		"no words":                                      {nil, nil, ""},
		"an option and an operand":                      {nil, []string{"-q", "a"}, "-q@1 [a@2]"},
		"options behind operands":                       {nil, []string{"a", "-q"}, "-q@2 [a@1]"},
		"options that end at the first operand":         {func(g *argv.Grammar) { g.EndAtOperand = true }, []string{"a", "-q"}, "[a@1] [-q@2]"},
		"what is behind -- is not an option":            {nil, []string{"--", "-q"}, "[-q@2]"},
		"a lone dash is an operand":                     {nil, []string{"-"}, "[-@1]"},
		"a cluster":                                     {nil, []string{"-qn5"}, "-n@1=5 -q@1"},
		"a cluster whose value is the next word":        {nil, []string{"-qn", "5"}, "-n@1=5 -q@1"},
		"digits are a number":                           {nil, []string{"-20"}, ""},
		"a value in the next word is not an operand":    {nil, []string{"-n", "-q"}, "-n@1=-q"},
		"a value behind =":                              {nil, []string{"--number=5"}, "--number@1=5"},
		"an optional value is in the same word":         {nil, []string{"-i.bak", "-i", "a"}, "-i@1=.bak -i@2= [a@3]"},
		"an optional value of a long option":            {nil, []string{"--in-place", "a"}, "--in-place@1 [a@2]"},
		"of two words the second counts":                {nil, []string{"--set", "x", "y", "z"}, "--set@1=y [z@4]"},
		"an abbreviation":                               {nil, []string{"--num", "5"}, "--number@1=5~"},
		"an abbreviation of two options is both":        {nil, []string{"--qui"}, "--quick@1~ --quiet@1~ uncertain"},
		"an underscore is a dash":                       {nil, []string{"--in_place"}, "--in-place@1"},
		"behind an unknown option nothing is certain":   {nil, []string{"-x", "a"}, "-x@1? [a@2] uncertain"},
		"an unknown option with its value is certain":   {nil, []string{"--xyz=1", "a"}, "--xyz@1=1?~ [a@2]"},
		"-- may be a value while nothing is certain":    {nil, []string{"-x", "--", "-q"}, "-q@3 -x@1? uncertain"},
		"a word produced at run time may be any option": {nil, []string{argv.Unknown, "a"}, "[" + argv.Unknown + "@1] [a@2] uncertain anything[1]"},
		"behind -- it is an operand":                    {nil, []string{"--", argv.Unknown}, "[" + argv.Unknown + "@2]"},
		"an option whose name is produced at run time":  {nil, []string{"--" + argv.Unknown}, "--" + argv.Unknown + "@1?~ uncertain anything[1 1]"},
		"letters without a dash":                        {func(g *argv.Grammar) { g.Dashless = true }, []string{"qn", "5", "a"}, "-n@1=5 -q@1 [a@3]"},
		"one dash, whole names":                         {single, []string{"-exec", "ls", "-exec=ls"}, "-exec@1=ls -exec@3=ls"},
		"one dash, and two mean the same":               {single, []string{"--exec", "ls"}, "-exec@1=ls"},
		"a predicate hides no word as its value":        {predicates, []string{"-exec", "-q", "a"}, "-exec@1=-q -q@2 [a@3]"},
		"a predicate in capitals":                       {predicates, []string{"-EXEC", "ls"}, "-exec@1=ls [ls@2]"},
		"-- ends nothing among predicates":              {predicates, []string{"--", "-q"}, "-@1? -q@2 uncertain"},
		"reading ends at the sub-command":               {func(g *argv.Grammar) { g.Subcommands = true }, []string{"-q", "push", "-n"}, "-q@1 [push@2]"},
		"behind some options there are only operands":   {func(g *argv.Grammar) { g.EndAfter = []string{"-n"} }, []string{"-n", "5", "-q"}, "-n@1=5 [-q@3]"},
		"a value that may be several words is unclear":  {nil, []string{"-n", "a" + argv.Several, "-q"}, "-n@1=a" + argv.Several + " -q@3 [a" + argv.Several + "@2] uncertain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, shown(grammar(c.change).Read(c.words, 1)))
		})
	}
}

func TestAnExactGrammarStopsAtTheFirstUnlistedWord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		exact argv.Exact
		words []string
		want  string
	}{
		"all is known":                           {argv.Exact{}, []string{"-q", "--number=5", "a"}, "--number@1=5 -q@0 [a@2]"},
		"nothing is abbreviated":                 {argv.Exact{}, []string{"--num", "5"}, "unread --num: " + argv.WhyUnknown},
		"an unknown letter in a cluster":         {argv.Exact{}, []string{"-qx"}, "-q@0 unread -qx: " + argv.WhyUnknown},
		"a value that is missing":                {argv.Exact{}, []string{"-n"}, "unread -n: " + argv.WhyNoValue},
		"a value too many":                       {argv.Exact{}, []string{"--quiet=1"}, "unread --quiet=1: " + argv.WhySurplus},
		"a value that has to be a word":          {argv.Exact{ValuesAreWords: true}, []string{"-n5"}, "unread -n5: " + argv.WhyMisplaced},
		"an optional value that has to be there": {argv.Exact{NeedsValue: true}, []string{"-i"}, "unread -i: " + argv.WhyMisplaced},
		"a number first":                         {argv.Exact{NumberFirst: true}, []string{"-5"}, argv.NumberOption + "@0=5"},
		"a number later":                         {argv.Exact{NumberFirst: true}, []string{"-q", "-5"}, "-q@0 unread -5: " + argv.WhyUnknown},
		"a dash that is not an input":            {argv.Exact{Dash: argv.DashWrong}, []string{"-"}, "unread -: " + argv.WhyUnknown},
		"a dash that ends the options":           {argv.Exact{Dash: argv.DashEnds}, []string{"-", "-x"}, ""},
		"a dash that is an operand":              {argv.Exact{Dash: argv.DashOperand}, []string{"-q", "-"}, "-q@0"},
		"+ where it stands for -":                {argv.Exact{Plus: true}, []string{"+q", "-q"}, "-q@0+ -q@1"},
		"+ with an option that wants -":          {argv.Exact{Plus: true}, []string{"+m"}, "unread +m: " + argv.WhyUnknown},
		"a lone +":                               {argv.Exact{Plus: true}, []string{"+"}, "unread +: " + argv.WhyUnknown},
		"+ elsewhere is an operand":              {argv.Exact{}, []string{"+q"}, "[+q@0]"},
		"a long option first":                    {argv.Exact{LongFirst: true}, []string{"--quiet", "-q"}, "--quiet@0 -q@1"},
		"a long option too late":                 {argv.Exact{LongFirst: true}, []string{"-q", "--quiet"}, "-q@0 unread --quiet: " + argv.WhyUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.exact.On = true
			g := grammar(func(g *argv.Grammar) { g.Exact, g.Options["-m"] = c.exact, argv.Option{Name: "-m", MinusOnly: true} })
			assert.Equal(t, c.want, shown(g.Read(c.words, 0)))
		})
	}
}

// doubtful is a grammar with options of its own, -r and -run with a value, and the others of
// grammar; -c is one behind which is code.
func doubtful() *argv.Grammar {
	return &argv.Grammar{
		Options: map[string]argv.Option{"-r": {Name: "-r", Takes: argv.Value}, "-run": {Name: "-run", Takes: argv.Value}},
		Doubt:   argv.Doubt{On: true, Fallback: grammar(nil).Options, TextOptions: []string{"-c"}},
	}
}

func TestADoubtfulGrammarReportsAWordAsBoth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words []string
		want  string
	}{
		"an option with a value and an operand":        {[]string{"-r", "a", "b"}, "-r@1=a [b@3]"},
		"a value in the same word":                     {[]string{"-ra", "-r=a", "-run=a"}, "-r@1=a -r@2=a -run@3=a"},
		"one dash and a whole name":                    {[]string{"-run", "a"}, "-run@1=a"},
		"an unknown option may take the next word":     {[]string{"-x", "a", "b"}, "-x@1? [a@2]? [b@3]"},
		"an unknown long option, too":                  {[]string{"--xyz", "a"}, "--xyz@1? [a@2]?"},
		"with its value it takes none":                 {[]string{"--xyz=1", "a"}, "--xyz@1=1? [a@2]"},
		"each unknown letter may have the rest":        {[]string{"-xy", "a"}, "-x@1=y? -y@1? [a@2]?"},
		"behind it a known letter still has its value": {[]string{"-xr", "a", "b"}, "-r@1=a -x@1=r? [b@3]"},
		"nothing is abbreviated":                       {[]string{"--num", "5"}, "--num@1? [5@2]?"},
		"an optional value is not the next word":       {[]string{"--in-place", "a"}, "--in-place@1 [a@2]"},
		"behind -- there are operands":                 {[]string{"--", "-r", "a"}, "[-r@2] [a@3]"},
		"a word produced at run time is an operand":    {[]string{argv.Unknown, "-q"}, "-q@2 [" + argv.Unknown + "@1]"},
		"code in the next word, which may be a file":   {[]string{"-c", "a"}, "-c@1 [a@2]?"},
		"code in the same word":                        {[]string{"-qca", "b"}, "-c@1=a -q@1 [b@2]"},
		"a value that is missing":                      {[]string{"-r"}, "-r@1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, shown(doubtful().Read(c.words, 1)))
		})
	}
}

func TestOptionsAndOperandsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	var order []string
	reading := doubtful().Read([]string{"a", "-qr", "b", "c", "-n", "5"}, 1)
	for option, operand := range reading.InOrder() {
		if option != nil {
			order = append(order, option.Name)
		} else {
			order = append(order, operand.Text)
		}
	}
	assert.Equal(t, []string{"a", "-q", "-r", "c", "-n"}, order)
}

func TestTheSubcommandIsFoundAfterOptions(t *testing.T) {
	t.Parallel()
	known := func(word string) bool { return word == "run" }
	for words, want := range map[string]int{
		"run": 1, "-q run": 2, "-r run run": 3, "-r=a other": 2, "-- run": 2, "-": 1,
		"-x run": 2, "-x a run": 3, "-x a other": 3, "-q": 0, "": 0,
	} {
		assert.Equal(t, want, doubtful().Subcommand(strings.Fields(words), 1, known), words)
	}
}
