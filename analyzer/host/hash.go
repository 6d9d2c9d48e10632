package host

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"syscall"
)

// Limits on what is hashed: one script, and all files of one analysis, in bytes.
const (
	maxScript  = 4 << 20
	maxScripts = 16 << 20
)

// cachedHash is the hash of a file, valid as long as the file has this stamp.
type cachedHash struct {
	stamp stamp
	size  int64
	sum   string
}

// hash returns the SHA-256 of a file in hexadecimal, or "" for a file larger than most bytes, and
// whether the file could be read.
func (l *local) hash(real string, s status, most int64) (sum string, readable bool) {
	if s.size > most {
		return "", true
	}
	l.mu.Lock()
	known, ok := l.hashes[real]
	l.mu.Unlock()
	if ok && known.stamp == s.stamp && known.size == s.size {
		return known.sum, true
	}
	sum, readable = digest(real, s, most)
	if !readable || !l.stable(s.stamp) {
		return sum, readable
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hashes == nil || len(l.hashes) >= maxHashes {
		l.hashes = map[string]cachedHash{}
	}
	l.hashes[real] = cachedHash{s.stamp, s.size, sum}
	return sum, true
}

// digest hashes the file that was examined, and no other file that has replaced it since. A file
// that changes in the meantime counts as unreadable.
func digest(real string, s status, most int64) (sum string, readable bool) {
	file, err := os.OpenFile(real, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer file.Close()
	info, err := file.Stat()
	before, lerr := os.Lstat(real)
	if err != nil || lerr != nil || !info.Mode().IsRegular() || !os.SameFile(info, before) {
		return "", false
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(file, most+1))
	if now, lerr := lstat(real); err != nil || lerr != nil || now != s {
		return "", false
	}
	if n > most {
		return "", true
	}
	return hex.EncodeToString(hash.Sum(nil)), true
}
