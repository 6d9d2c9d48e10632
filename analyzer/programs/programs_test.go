package programs_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
	"gavel/rego"
)

// read reads a catalog of one family with one entry for each text.
func read(texts ...string) error {
	files := fstest.MapFS{"gavel/catalog/programs/names.yaml": {Data: []byte("targets: [x86]")},
		"gavel/catalog/programs/families.yaml": {Data: []byte("test: {about: tests, source: nowhere}")}}
	for _, text := range texts {
		e, err := programs.Parse([]byte(text))
		if err != nil {
			return err
		}
		files["gavel/catalog/programs/test/"+e.Name+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	_, err := programs.Read(files)
	return err
}

func TestEntriesAreReadStrictly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string
	}{
		"a member that is unknown":                      {"{name: x, rnus: [-e]}", "field rnus not found"},
		"an option twice":                               {"{name: x, options: [{names: [-e, -e], value: none}]}", "option -e occurs twice"},
		"no option":                                     {"{name: x, options: [{names: [e], value: none}]}", "option e occurs twice, or is not an option"},
		"an option without a word on its value":         {"{name: x, options: [{names: [-e]}]}", `value is ""`},
		"a kind of hazard that is none":                 {"{name: x, always: flies}", `unknown kind "flies"`},
		"an option with a kind that is none":            {"{name: x, options: [{names: [-e], value: none, means: [flies]}]}", `unknown kind "flies"`},
		"a style that is none":                          {"{name: x, style: odd}", `unknown style "odd"`},
		"a name in upper case":                          {"{name: X}", "not a base name in lower case"},
		"a path for a name":                             {"{name: /bin/x}", "not a base name in lower case"},
		"a rule without a name":                         {"{name: x, rules: [{means: runs}]}", "needs a known kind and a name"},
		"a sub-command twice":                           {"{name: x, harmless_subcommands: [a], subcommands: {a: {}}}", "sub-command a occurs twice"},
		"a sub-command like none":                       {"{name: x, subcommands: {a: {like: b}}}", "like names b"},
		"a second document":                             {"name: x\n---\nname: y", "more than one document"},
		"a word for opaque that is none":                {"{name: x, opaque: maybe}", `opaque is "maybe"`},
		"a wrapper that is opaque":                      {"{name: x, opaque: carrier, wrapper: {kind: dispatcher}}", "is not a wrapper"},
		"an option of a wrapper that is not":            {"{name: x, options: [{names: [-u], value: required, unsets_variable: true}]}", "needs wrapper: true"},
		"an option of a safe bin with an unknown value": {"{name: x, options: [{names: [-u], value: unknown, safe_bin: allowed}]}", "cannot be allowed"},
		"a runner with an absolute directory":           {"{name: x, runner: {tools: /bin}}", "directory of tools"},
		"a carrier that is not described":               {"{name: x, opaque: carrier}", "a shell or a carrier needs described: true"},
		"like without described":                        {"{name: x, like: y}", "like is for an entry with described"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.ErrorContains(t, read(c.text), c.want)
		})
	}
}

func TestEntriesAreCheckedAgainstOneAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts []string
		want  string
	}{
		"a name in two entries":               {[]string{"{name: x, aliases: [z]}", "{name: y, family_default_for: [z]}"}, "z occurs twice, in test/x.yaml and test/y.yaml"},
		"like one that is not there":          {[]string{"{name: x, described: true, like: y}"}, "like names y"},
		"like one that is like another one":   {[]string{"{name: x, described: true, like: y}", "{name: y, described: true, like: z}", "{name: z, described: true}"}, "like names y"},
		"code like one without":               {[]string{"{name: x, code: {like: y}}", "{name: y}"}, "has no code section"},
		"an applet that runs others":          {[]string{"{name: x, wrapper: {kind: multiplexer, applets: [nice]}}", "{name: nice, wrapper: {kind: dispatcher}}"}, `the applet "nice"`},
		"a builtin that is printed as nobody": {[]string{"{name: x, builtin: {words: none, printed_as: [y]}}"}, "printed_as names y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.ErrorContains(t, read(c.texts...), c.want)
		})
	}
	assert.ErrorContains(t, read(), "no entry below")
	_, err := programs.Read(fstest.MapFS{})
	assert.ErrorContains(t, err, "names.yaml")
}

// What the entries themselves cannot show: the shipped catalog is read, and no name is
// in two entries.
func TestTheShippedCatalogIsWhole(t *testing.T) {
	t.Parallel()
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	assert.Greater(t, len(catalog.Entries()), 600)
	e, known := catalog.Find("Python3.12.EXE")
	require.NotNil(t, e)
	assert.Equal(t, "python", known)
	assert.Nil(t, catalog.Exactly("python3.12"))
	assert.NotEmpty(t, catalog.Family(e.Family).About)
	for _, e := range catalog.Entries() {
		assert.NotEmpty(t, e.Source, e.Name)
	}
	e, _ = catalog.Find("frobnicate")
	assert.Nil(t, e)
}
