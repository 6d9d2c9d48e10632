// Package packed encodes integers, booleans, strings and lists of them in a compact binary form. The
// encoding contains neither names nor types: whoever reads it must know what was written. Strings and
// bytes are read without copying, so that a process can open a large file and decode only the parts
// that it needs.
package packed

import (
	"encoding/binary"
	"errors"
	"unsafe"
)

// ErrTruncated is the error of a Reader that reached the end of its data, or found an impossible
// length.
var ErrTruncated = errors.New("the data is truncated")

// Writer encodes values. The zero value is empty and ready to use.
type Writer struct{ buf []byte }

// Bytes returns what was written so far.
func (w *Writer) Bytes() []byte { return w.buf }

// Int writes an integer.
func (w *Writer) Int(n int64) { w.buf = binary.AppendVarint(w.buf, n) }

// Bool writes a boolean.
func (w *Writer) Bool(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	w.Int(n)
}

// Text writes a string, which may contain any bytes.
func (w *Writer) Text(s string) {
	w.Int(int64(len(s)))
	w.buf = append(w.buf, s...)
}

// WriteSlice writes the length of a list, and then each element with write.
func WriteSlice[T any](w *Writer, list []T, write func(T)) {
	w.Int(int64(len(list)))
	for _, element := range list {
		write(element)
	}
}

// Reader decodes what a Writer encoded. After the first error it returns zero values.
type Reader struct {
	buf []byte
	err error
}

// NewReader returns a reader. The data must not change while anything that was read from it is in
// use.
func NewReader(data []byte) *Reader { return &Reader{buf: data} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Done returns the first error, or an error if not all of the data was read.
func (r *Reader) Done() error {
	if r.err == nil && len(r.buf) > 0 {
		return errors.New("the data is longer than expected")
	}
	return r.err
}

// Remaining returns the number of bytes that were not read yet.
func (r *Reader) Remaining() int { return len(r.buf) }

// Fail sets the error, unless there is one already, and ends reading.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.buf = nil
}

// Int reads an integer.
func (r *Reader) Int() int64 {
	n, size := binary.Varint(r.buf)
	if size <= 0 {
		r.Fail(ErrTruncated)
		return 0
	}
	r.buf = r.buf[size:]
	return n
}

// Bool reads a boolean.
func (r *Reader) Bool() bool { return r.Int() == 1 }

// Text reads a string. It shares the memory of the data.
func (r *Reader) Text() string {
	b := r.Bytes()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Bytes reads a string as bytes. They share the memory of the data, and must not be changed.
func (r *Reader) Bytes() []byte {
	n := r.Int()
	if n < 0 || n > int64(len(r.buf)) {
		r.Fail(ErrTruncated)
		return nil
	}
	b := r.buf[:n:n]
	r.buf = r.buf[n:]
	return b
}

// ReadSlice reads a list, each element with read.
func ReadSlice[T any](r *Reader, read func() T) []T {
	n := r.Int()
	if n < 0 || n > int64(len(r.buf)) { // an element takes at least one byte
		r.Fail(ErrTruncated)
		return nil
	}
	list := make([]T, n)
	for i := range list {
		list[i] = read()
	}
	return list
}
