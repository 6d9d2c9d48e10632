package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadRequestReadsExactlyOneRequest(t *testing.T) {
	var text bytes.Buffer
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://verifier.example/", strings.NewReader(`{"version":1}`))
	require.NoError(t, err)
	require.NoError(t, request.Write(&text))
	whole := text.String()
	space := make([]byte, maxRequest)
	assert.NoError(t, readRequest(strings.NewReader(whole), space))
	assert.NoError(t, readRequest(iotest.OneByteReader(strings.NewReader(whole)), space))
	assert.Error(t, readRequest(strings.NewReader(whole[:len(whole)-1]), space), "incomplete")
	assert.Error(t, readRequest(strings.NewReader(strings.Replace(whole, "Content-Length: 13", "X: 13", 1)), space), "without Content-Length")
	assert.Error(t, readRequest(strings.NewReader(whole), space[:20]), "too large")
}
