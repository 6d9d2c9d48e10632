// Package packed writes numbers and texts one after another, and reads them again. There are
// no names and no types: who reads must know what was written. Reading copies nothing, which
// is what it is for: a process that decides one call reads a fraction of a large file.
package packed

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

// ErrShort is the error of a Reader that was asked for more than was written.
var ErrTruncated = errors.New("the text ends too early")

// Writer collects what is written. The zero value is empty.
type Writer struct{ buf []byte }

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Int writes a number.
func (w *Writer) Int(n int64) { w.buf = binary.AppendVarint(w.buf, n) }

// Bool writes a truth value.
func (w *Writer) Bool(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	w.Int(n)
}

// Text writes a text, of any bytes.
func (w *Writer) Text(s string) {
	w.Int(int64(len(s)))
	w.buf = append(w.buf, s...)
}

// List writes the number of elements, and then each.
func WriteSlice[T any](w *Writer, list []T, write func(T)) {
	w.Int(int64(len(list)))
	for _, element := range list {
		write(element)
	}
}

// Reader reads what a Writer wrote. After the first error, it returns zero values.
type Reader struct {
	buf []byte
	err  error
}

// NewReader returns a reader. The text must not change while what was read is used.
func NewReader(text []byte) *Reader { return &Reader{buf: text} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Done returns the first error, or an error if something is left.
func (r *Reader) Done() error {
	if r.err == nil && len(r.buf) > 0 {
		return errors.New("the text has more than was expected")
	}
	return r.err
}

// Left returns how many bytes are left.
func (r *Reader) Remaining() int { return len(r.buf) }

// Fail makes the reader return zero values from now on.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.buf = nil
}

// Int reads a number.
func (r *Reader) Int() int64 {
	n, size := binary.Varint(r.buf)
	if size <= 0 {
		r.Fail(ErrTruncated)
		return 0
	}
	r.buf = r.buf[size:]
	return n
}

// Bool reads a truth value.
func (r *Reader) Bool() bool { return r.Int() == 1 }

// Text reads a text, which is part of what the reader reads.
func (r *Reader) Text() string {
	part := r.Bytes()
	return unsafe.String(unsafe.SliceData(part), len(part))
}

// Part reads a text as bytes, which must not be changed.
func (r *Reader) Bytes() []byte {
	n := r.Int()
	if n < 0 || n > int64(len(r.buf)) {
		r.Fail(ErrTruncated)
		return nil
	}
	part := r.buf[:n:n]
	r.buf = r.buf[n:]
	return part
}

// Elements reads a list.
func ReadSlice[T any](r *Reader, read func() T) []T {
	n := r.Int()
	if n < 0 || n > int64(len(r.buf)) { // each element takes a byte at least
		r.Fail(ErrTruncated)
		return nil
	}
	list := make([]T, n)
	for i := range list {
		list[i] = read()
	}
	return list
}
