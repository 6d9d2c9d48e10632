package approvals

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/internal/private"
)

// create writes a complete new file next to the target and then renames it, so an empty or
// incomplete file never comes from Gavel. It reports whether it created the file.
func create(path string) (fresh bool, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a leftover is removed at the next start
	temp := filepath.Join(dir, "db")
	db, _, err := openBolt(temp)
	if err != nil {
		return false, err
	}
	if err := errors.Join(db.Update(buckets), db.Close()); err != nil {
		return false, err
	}
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have created it first
		return false, err
	}
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	return true, errors.Join(parent.Sync(), parent.Close())
}

// checkIntact refuses a file that was removed, replaced or truncated since it was opened. A change
// would be lost when the process ends, or reading the missing part would crash it.
func (s *OnDisk) checkIntact() error {
	own, err := s.file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(s.path)
	switch {
	case err != nil:
		return fmt.Errorf("the approvals database was removed while Gavel runs: %w; restart gavel serve", err)
	case !os.SameFile(own, now):
		return fmt.Errorf("the approvals database %s was replaced while Gavel runs; restart gavel serve", s.path)
	case own.Size() < s.size:
		return fmt.Errorf("the approvals database %s was truncated while Gavel runs: it has %d of %d bytes; restart gavel serve", s.path, own.Size(), s.size)
	}
	s.size = own.Size()
	return nil
}

// The contents that bbolt writes to the first two pages of a file, each with a header.
const (
	pageHeader = 16
	metaSize   = 64
	metaSum    = 56 // offset of a meta page's checksum
	metaMagic  = 0xED0CDAED
	metaPages  = 40 // offset of the number of pages
	metaTx     = 48 // offset of the last transaction
	maxPage    = 64 << 10
)

// checkComplete refuses a file that is shorter than its header says, because reading the missing
// part would crash the process.
func checkComplete(path string) error {
	file, err := private.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errors.New("the file is empty, so its contents are lost: a database is never empty")
	}
	need, ok := newest(file)
	if !ok {
		return errors.New("the file is not a database, or its beginning is damaged")
	}
	if uint64(info.Size()) < need {
		return fmt.Errorf("the file is truncated: it has %d of %d bytes", info.Size(), need)
	}
	return nil
}

// newest returns the file's expected length according to the last transaction with a valid
// meta page.
func newest(file io.ReaderAt) (need uint64, ok bool) {
	var last uint64
	read := func(at int64) (page uint32, good bool) {
		meta := make([]byte, metaSize)
		if _, err := file.ReadAt(meta, at+pageHeader); err != nil {
			return 0, false
		}
		sum := fnv.New64a()
		sum.Write(meta[:metaSum])
		page = binary.NativeEndian.Uint32(meta[8:])
		if binary.NativeEndian.Uint32(meta) != metaMagic || binary.NativeEndian.Uint64(meta[metaSum:]) != sum.Sum64() || page == 0 || page > maxPage {
			return 0, false
		}
		if tx := binary.NativeEndian.Uint64(meta[metaTx:]); !ok || tx > last {
			last, need = tx, binary.NativeEndian.Uint64(meta[metaPages:])*uint64(page)
		}
		ok = true
		return page, true
	}
	if page, good := read(0); good {
		read(int64(page))
		return need, ok
	}
	for page := int64(1024); page <= maxPage; page *= 2 { // the first is damaged: try the possible positions of the second
		if _, good := read(page); good {
			break
		}
	}
	return need, ok
}
