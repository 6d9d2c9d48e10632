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

// create makes a new file with its buckets beside its place and puts it there whole: a
// file that is empty or half made was not left by Gavel. It reports whether it did.
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
	db, err := openBolt(temp)
	if err != nil {
		return false, err
	}
	if err := errors.Join(db.Update(buckets), db.Close()); err != nil {
		return false, err
	}
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been faster
		return false, err
	}
	parent, err := os.Open(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	return true, errors.Join(parent.Sync(), parent.Close())
}

// What bbolt writes to the first two pages of a file, each page with a header.
const (
	pageHeader = 16
	metaSize   = 64
	metaSum    = 56 // where the checksum of a meta begins
	metaMagic  = 0xED0CDAED
	metaPages  = 40 // where the number of pages stands
	metaTx     = 48 // and that of the last transaction
	maxPage    = 64 << 10
)

// whole refuses a file that is shorter than it says: reading what is missing would end
// the process.
func whole(path string) error {
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

// newest is how long the file has to be by the last transaction whose meta is good.
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
	for page := int64(1024); page <= maxPage; page *= 2 { // the first is damaged: look where the second may be
		if _, good := read(page); good {
			break
		}
	}
	return need, ok
}
