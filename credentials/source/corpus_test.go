package source_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/cases"
	"gavel/credentials/source"
)

func TestTheCasesOfTheReferenceAboutSources(t *testing.T) {
	for _, c := range cases.Read(t, "..", "credentials") {
		t.Run(c.Name, func(t *testing.T) {
			says := cases.Get[string](t, c.Expect, "error_contains")
			switch c.Name {
			case "TestParseSource_ExecJSON_RejectsJQ":
				_, err := source.Parse(cases.Get[string](t, c.Input, "source"))
				require.ErrorContains(t, err, "exec-json")
			case "TestFetchFromExecJSON_HappyPath":
				out := cases.Get[map[string]string](t, c.Input, "stdout")
				require.Equal(t, "RFC3339", out["expires_at"])
				out["expires_at"] = time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
				text, err := json.Marshal(out)
				require.NoError(t, err)
				value, err := read(t, source.Settings{}, "exec-json:"+program(t, "echo '"+string(text)+"'"))
				require.NoError(t, err)
				assert.Equal(t, cases.Get[string](t, c.Expect, "value"), value.Text)
				assert.Equal(t, out["expires_at"], value.Expires.UTC().Format(time.RFC3339))
			case "TestFetchFromExecJSON_NonZeroExitIncludesStderrNotStdout":
				stdout := cases.Get[string](t, c.Input, "stdout")
				_, err := read(t, source.Settings{}, "exec-json:"+program(t, "echo "+stdout+"; echo "+cases.Get[string](t, c.Input, "stderr")+" >&2; exit 1"))
				require.ErrorContains(t, err, says)
				assert.NotContains(t, err.Error(), stdout+"\n")
				assert.False(t, cases.Get[bool](t, c.Expect, "error_contains_stdout"))
			case "TestFetchFromExecJSON_Timeout":
				s, err := source.Parse("exec-json:" + program(t, "sleep 1000"))
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // shortened, as there
				defer cancel()
				_, err = source.NewReader(source.Settings{}, os.Getenv).Read(ctx, s)
				require.ErrorContains(t, err, says)
			default:
				t.Fatal("nothing runs this case")
			}
		})
	}
}
