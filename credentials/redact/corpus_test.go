package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/credentials/cases"
	"gavel/credentials/redact"
)

func TestTheCasesOfTheReferenceAboutRedaction(t *testing.T) {
	ran := 0
	for _, c := range cases.Read(t, "..", "exec.secrets") {
		switch c.Name {
		case "TestOutputRedactor_SecretAcrossChunkBoundary":
			value := strings.Repeat("0123456789", cases.Get[int](t, c.Input, "secret_bytes")/10)
			out := through(redact.New([]string{value}, nil), "head "+value+" tail", cases.Get[int](t, c.Input, "chunk_bytes"))
			assert.Equal(t, cases.Get[string](t, c.Expect, "output"), out)
			ran++
		case "TestOutputRedactor_IgnoresShortSecrets":
			assert.Nil(t, redact.New(cases.Get[[]string](t, c.Input, "secrets"), nil))
			ran++
		}
	}
	assert.Equal(t, 2, ran, "the daemon runs the third")
}
