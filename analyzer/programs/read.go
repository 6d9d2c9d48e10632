package programs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Dir is the directory of the catalog of programs in a policy root.
const Dir = "gavel/catalog/programs"

// table is names.yaml.
type table struct {
	Targets  []string `yaml:"targets" json:"targets"`
	Variants []string `yaml:"variants" json:"variants"`
	Shell    Words    `yaml:"shell" json:"shell"`
}

// Read reads the catalog of a policy root, strictly: an unknown member or value, or a name that
// appears twice, is an error that names the file. If [Generated] matches the sources, it is read
// instead of them.
func Read(policy fs.FS) (*Catalog, error) {
	s, err := readSources(policy)
	if err != nil {
		return nil, fmt.Errorf("read the catalog of programs: %w", err)
	}
	parsed, ok := s.generated(policy)
	if !ok {
		return s.read()
	}
	return parsed.catalog()
}

// ReadSources is like [Read], but ignores the generated file.
func ReadSources(policy fs.FS) (*Catalog, error) {
	s, err := readSources(policy)
	if err != nil {
		return nil, fmt.Errorf("read the catalog of programs: %w", err)
	}
	return s.read()
}

func (s *sources) read() (*Catalog, error) {
	parsed, err := s.parse()
	if err != nil {
		return nil, err
	}
	return parsed.catalog()
}

type parsedCatalog struct {
	table
	families map[string]Family
	entries  []*Entry
}

func (c *parsedCatalog) catalog() (*Catalog, error) {
	catalog, err := New(c.Targets, c.Variants, c.Shell, c.entries...)
	if err == nil {
		catalog.families = c.families
	}
	return catalog, err
}

func (s *sources) parse() (c parsedCatalog, err error) {
	if err := decode(s.table, &c.table); err != nil {
		return c, fmt.Errorf("read the catalog of programs: %s/names.yaml: %w", Dir, err)
	}
	if c.families, err = parseFamilies(s.families); err != nil {
		return c, fmt.Errorf("read the catalog of programs: %s/families.yaml: %w", Dir, err)
	}
	c.entries = make([]*Entry, len(s.names))
	return c, inParallel(len(s.names), func(i int) error {
		e, err := parseFile(s.names[i], s.texts[i])
		if err != nil {
			return err
		}
		family, known := c.families[e.Family]
		if !known {
			return fmt.Errorf("catalog of programs: %s/families.yaml has no family %s", Dir, e.Family)
		}
		e.Source = cmp.Or(e.Source, family.Source)
		c.entries[i] = e
		return nil
	})
}

func parseFamilies(text []byte) (families map[string]Family, err error) {
	if err := decode(text, &families); err != nil {
		return nil, err
	}
	for name, family := range families {
		if family.About == "" || family.Source == "" {
			return nil, fmt.Errorf("%s needs about and source", name)
		}
	}
	return families, nil
}

func parseFile(name string, text []byte) (*Entry, error) {
	e, err := Parse(text)
	if err == nil {
		e.Family = path.Base(path.Dir(name))
		if stem := strings.TrimSuffix(path.Base(name), ".yaml"); stem != e.Name && strings.ContainsAny(e.Name, "abcdefghijklmnopqrstuvwxyz0123456789") {
			err = fmt.Errorf("the entry is about %s: name the file %s.yaml", e.Name, e.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("catalog of programs: %s: %w", name, err)
	}
	return e, nil
}

// Parse reads one entry and checks it on its own.
func Parse(text []byte) (*Entry, error) {
	e := &Entry{}
	if err := decode(text, e); err != nil {
		return nil, err
	}
	return e, e.check()
}

func decode(text []byte, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if err := decoder.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one document")
	}
	return nil
}
