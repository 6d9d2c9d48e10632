package packed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/packed"
)

func written() []byte {
	w := &packed.Writer{}
	w.Int(-7)
	w.Bool(true)
	w.Text("a\x00\xffb")
	w.Text("")
	packed.WriteSlice(w, []string{"x", "yz"}, w.Text)
	w.Int(1 << 60)
	return w.Bytes()
}

func TestValuesAreReadAsTheyWereWritten(t *testing.T) {
	r := packed.NewReader(written())
	assert.Equal(t, int64(-7), r.Int())
	assert.True(t, r.Bool())
	assert.Equal(t, "a\x00\xffb", r.Text())
	assert.Empty(t, r.Text())
	assert.Equal(t, []string{"x", "yz"}, packed.ReadSlice(r, r.Text))
	require.Error(t, r.Done(), "an integer was not read yet")
	assert.Equal(t, int64(1<<60), r.Int())
	assert.NoError(t, r.Done())
}

func TestTruncatedDataIsAnError(t *testing.T) {
	data := written()
	for n := range len(data) {
		r := packed.NewReader(data[:n])
		r.Int()
		r.Bool()
		r.Text()
		r.Text()
		packed.ReadSlice(r, r.Text)
		r.Int()
		assert.Error(t, r.Done(), "only the first %d bytes", n)
	}
}

func TestAnImpossibleLengthAllocatesNothing(t *testing.T) {
	w := &packed.Writer{}
	w.Int(1 << 50)
	for name, read := range map[string]func(*packed.Reader){
		"of a string": func(r *packed.Reader) { r.Text() },
		"of a list":   func(r *packed.Reader) { packed.ReadSlice(r, r.Text) },
	} {
		r := packed.NewReader(w.Bytes())
		read(r)
		assert.ErrorIs(t, r.Err(), packed.ErrTruncated, name)
	}
}
