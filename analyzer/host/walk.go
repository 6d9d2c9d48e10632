package host

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// maxLinks is how many symbolic links the kernel follows on one path.
const maxLinks = 40

// walk follows an absolute path as the kernel does, link by link, and returns the real path of
// what is there. If something is missing, real is the missing path. A link of /proc ends the walk with
// errPerProcess, and real is the link with the rest of the path. Afterwards, v.trail has the
// directories of the links.
func (v *view) walk(absolute string) (real string, s status, err error) {
	real, rest, links := "/", absolute, 0
	v.linkDirs = v.linkDirs[:0]
	if s, err = v.lstat(real); err != nil {
		return real, s, err
	}
	for rest != "" {
		name, after, more := strings.Cut(rest, "/")
		rest = after
		switch name {
		case "", ".":
			continue
		case "..":
			real = path.Dir(real)
			s, err = v.lstat(real)
		default:
			next := Join(real, name)
			if s, err = v.lstat(next); err == nil && s.mode&fs.ModeSymlink != 0 {
				if PerProcess(real) {
					return Join(next, rest), s, errPerProcess
				}
				if links++; links > maxLinks {
					return next, s, fs.ErrInvalid
				}
				v.linkDirs = append(v.linkDirs, real)
				if rest, err = followLink(next, after, more); strings.HasPrefix(rest, "/") {
					real = "/"
				}
				if err != nil {
					return next, s, err
				}
				s, err = v.lstat(real)
				break
			}
			real = next
			if err == nil && !s.mode.IsDir() && more {
				err = fs.ErrInvalid
			}
		}
		if err != nil {
			return real, s, err
		}
	}
	return real, s, nil
}

// followLink returns the path that remains to be walked after a link: its target, and then the rest
// of the path, if there is more.
func followLink(link, after string, more bool) (string, error) {
	text, err := os.Readlink(link)
	if err == nil && more {
		text += "/" + after
	}
	return text, err
}
