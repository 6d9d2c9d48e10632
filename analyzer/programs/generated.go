package programs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
)

// Generated is the file of a policy root that has the content of names.yaml, families.yaml and
// the entries as lines of JSON. Reading hundreds of YAML files would take half of Gavel's start.
// The first line is a heading, and every other line is an entry. The heading has the digest of
// the sources; if it does not match, the sources are read instead. So people who edit
// an entry can ignore this file.
const Generated = Dir + "/entries.jsonl"

type heading struct {
	Digest  string `json:"digest"` // of the files that it was made from
	Entries int    `json:"entries"`
	// Families is families.yaml; the table is names.yaml.
	Families map[string]Family `json:"families"`
	table
}

// sources are the files that a catalog is built from, by name.
type sources struct {
	names    []string // of entries, sorted
	texts    [][]byte
	table    []byte // names.yaml
	families []byte // families.yaml
}

func readSources(policy fs.FS) (s sources, err error) {
	if s.table, err = fs.ReadFile(policy, Dir+"/names.yaml"); err != nil {
		return s, err
	}
	if s.families, err = fs.ReadFile(policy, Dir+"/families.yaml"); err != nil {
		return s, err
	}
	if s.names, err = fs.Glob(policy, Dir+"/*/*.yaml"); err != nil {
		return s, err
	}
	if len(s.names) == 0 {
		return s, fmt.Errorf("no entry below %s", Dir)
	}
	s.texts = make([][]byte, len(s.names))
	for i, name := range s.names {
		if s.texts[i], err = fs.ReadFile(policy, name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// digest is the hash of every name and text. Each is hashed with its length, so none can pass for
// part of another.
func (s *sources) digest() string {
	sum := sha256.New()
	add := func(text []byte) {
		sum.Write(strconv.AppendInt(nil, int64(len(text)), 10)) //nolint:errcheck // documented never to fail
		sum.Write([]byte{':'})                                  //nolint:errcheck // the same
		sum.Write(text)                                         //nolint:errcheck // the same
	}
	add(s.table)
	add(s.families)
	for i, name := range s.names {
		add([]byte(name))
		add(s.texts[i])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// WriteGenerated reads the sources of a policy root and writes the content of [Generated].
func WriteGenerated(w io.Writer, policy fs.FS) error {
	s, err := readSources(policy)
	if err != nil {
		return fmt.Errorf("read the catalog of programs: %w", err)
	}
	c, err := s.parse()
	if err != nil {
		return err
	}
	encoder := stdjson.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(heading{Digest: s.digest(), Entries: len(c.entries), Families: c.families, table: c.table}); err != nil {
		return err
	}
	for _, e := range c.entries {
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// generated reads the generated file of a policy root. It is not ok unless the file matches the
// sources.
func (s *sources) generated(policy fs.FS) (c parsedCatalog, ok bool) {
	text, err := fs.ReadFile(policy, Generated)
	if err != nil {
		return c, false
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'})
	var head heading
	if json.Unmarshal(lines[0], &head, json.RejectUnknownMembers(true)) != nil || head.Digest != s.digest() || head.Entries != len(lines)-1 {
		return c, false
	}
	c = parsedCatalog{table: head.table, families: head.Families, entries: make([]*Entry, head.Entries)}
	err = inParallel(len(c.entries), func(i int) error {
		return json.Unmarshal(lines[i+1], &c.entries[i], json.RejectUnknownMembers(true))
	})
	return c, err == nil
}

// inParallel calls work for every number below n, several at a time.
func inParallel(n int, work func(i int) error) error {
	const workers = 4
	var group sync.WaitGroup
	errs := make([]error, n)
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < n; i += workers {
				errs[i] = work(i)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}
