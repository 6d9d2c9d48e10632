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

func TestARequestIsReadToItsEndHoweverItArrives(t *testing.T) {
	var text bytes.Buffer
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://verifier.example/", strings.NewReader(`{"version":1}`))
	require.NoError(t, err)
	require.NoError(t, request.Write(&text))
	whole := text.String()
	space := make([]byte, mostOfRequest)
	assert.NoError(t, receive(strings.NewReader(whole), space))
	assert.NoError(t, receive(iotest.OneByteReader(strings.NewReader(whole)), space))
	assert.Error(t, receive(strings.NewReader(whole[:len(whole)-1]), space), "a part of one")
	assert.Error(t, receive(strings.NewReader(strings.Replace(whole, "Content-Length: 13", "X: 13", 1)), space), "one without a length")
	assert.Error(t, receive(strings.NewReader(whole), space[:20]), "one that is too long")
}
