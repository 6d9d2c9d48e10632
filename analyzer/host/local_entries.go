package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Entries implements [Host]. It opens no file and follows no link.
func (v *view) Entries(dir string, limit int) ([]Entry, bool) {
	file, err := openDirectory(dir)
	if err != nil {
		return nil, false
	}
	defer file.Close() //nolint:errcheck // it was only read
	if limit < 1 {
		return nil, true
	}
	found, err := file.ReadDir(limit)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	list := make([]Entry, len(found))
	for i, entry := range found {
		list[i] = Entry{Name: entry.Name(), Kind: KindFile}
		switch {
		case entry.IsDir():
			list[i].Kind = KindDirectory
		case entry.Type()&fs.ModeSymlink != 0:
			list[i].Kind, list[i].Link = KindUnknown, true
		}
	}
	return list, true
}

// Text implements [Host].
func (v *view) Text(absolute string, limit int) (string, bool) {
	file, err := os.OpenFile(absolute, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer file.Close() //nolint:errcheck // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := io.ReadAll(io.LimitReader(file, int64(limit)))
	return string(text), err == nil
}
