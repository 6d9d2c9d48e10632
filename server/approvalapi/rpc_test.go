package approvalapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/server/approvalapi"
)

// newAPI is an API with everything that it works with, until the test ends.
func newAPI(t *testing.T, nodes approvalapi.Nodes) (*approvalapi.API, *approvals.Manager, *allowlist.File) {
	t.Helper()
	people, err := approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	t.Cleanup(people.Close)
	file, err := allowlist.Open(allowlist.Config{Path: filepath.Join(t.TempDir(), "state", allowlist.Name), Now: time.Now, NewID: uuid.NewString, Token: uuid.NewString})
	require.NoError(t, err)
	a, err := approvalapi.New(approvalapi.Config{People: people, File: file, PDP: &gavel.PDP{Now: time.Now}, Closing: make(chan struct{}), Nodes: nodes})
	require.NoError(t, err)
	return a, people, file
}

func TestOthersDoNotLearnThatAnApprovalExists(t *testing.T) {
	a, people, _ := newAPI(t, nil)
	theirs, err := people.Open(t.Context(), gavel.Question{Caller: "gateway", Facts: &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "cron"}},
		Decision: &gavel.Decision{Terms: &gavel.Terms{TimeoutMs: 120_000}}})
	require.NoError(t, err)

	wait := func(id string) string {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"exec.approval.waitDecision","params":{"id":%q}}`, id)
		w := httptest.NewRecorder()
		require.NoError(t, a.Handlers()["POST /rpc"](w, httptest.NewRequest(http.MethodPost, "/rpc", strings.NewReader(body)), gavel.Caller{Credential: "decide", Rights: gavel.RightAsk}))
		return w.Body.String()
	}
	none := wait(uuid.NewString())
	assert.Contains(t, none, gavel.CodeApprovalNotFound)
	assert.Equal(t, none, wait(theirs.ID))
}

func TestTheAgentInAPathIsUnescapedOnce(t *testing.T) {
	a, _, file := newAPI(t, nil)
	router := chi.NewRouter()
	for key, handle := range a.Handlers() {
		method, path, _ := strings.Cut(key, " ")
		router.MethodFunc(method, path, func(w http.ResponseWriter, r *http.Request) {
			assert.NoError(t, handle(w, r, gavel.Caller{Credential: "approve", Rights: gavel.RightApprove | gavel.RightAllowlist}))
		})
	}
	for path, agent := range map[string]string{"main": "main", "Main": "main", "*": "*", "%2A": "*", "ops@host": "ops@host", "ops%40host": "ops@host", "a%20b": "a b", "team%2Fa": "team/a"} {
		s, err := file.Get()
		require.NoError(t, err)
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequest(http.MethodPut, "/v1/allowlists/"+path, strings.NewReader(`{"baseHash":"`+s.Hash+`","security":"deny"}`)))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		assert.Contains(t, w.Body.String(), `"security":"deny"`, path)
		s, err = file.Get()
		require.NoError(t, err)
		assert.Contains(t, s.File.Agents, agent, path)
	}
	s, err := file.Get()
	require.NoError(t, err)
	assert.Len(t, s.File.Agents, 5)
}

// passing remembers what it is given to pass on.
type passing struct{ params []byte }

func (p *passing) Call(_ context.Context, _, _ string, params []byte) ([]byte, error) {
	p.params = params
	return []byte("{}"), nil
}

func TestANodeReceivesValidJSON(t *testing.T) {
	node := &passing{}
	a, _, _ := newAPI(t, node)
	body := `{"jsonrpc":"2.0","id":1,"method":"exec.approvals.node.set","params":{"nodeId":"mac","file":{"version":1},"baseHash":"a\u0007\"b"}}`
	require.NoError(t, a.Handlers()["POST /rpc"](httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/rpc", strings.NewReader(body)), gavel.Caller{Rights: gavel.RightAllowlist}))
	assert.JSONEq(t, `{"file":{"version":1},"baseHash":"a\u0007\"b"}`, string(node.params))
}

// listed is a node with a list, which remembers the methods that were called.
type listed struct {
	hash    string
	methods []string
}

func (l *listed) Call(_ context.Context, _, method string, _ []byte) ([]byte, error) {
	l.methods = append(l.methods, method)
	return fmt.Appendf(nil, `{"exists":true,"hash":%q,"file":{"version":1,"agents":{"main":{"allowlist":[{"pattern":"/**"}]}}}}`, l.hash), nil
}

// What an edit loosens is judged by the list that was read; with the hash of another list, the node
// might apply it to that one.
func TestAnEditIsComparedWithTheListThatItReplaces(t *testing.T) {
	for hash, want := range map[string]string{"of-this-list": "", "of-a-tighter-list": gavel.CodeBaseHashStale, "": gavel.CodeBaseHashRequired} {
		node := &listed{hash: "of-this-list"}
		a, _, _ := newAPI(t, node)
		w := httptest.NewRecorder()
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"exec.approvals.node.set","params":{"nodeId":"mac","file":{"version":1},"baseHash":%q}}`, hash)
		require.NoError(t, a.Handlers()["POST /rpc"](w, httptest.NewRequest(http.MethodPost, "/rpc", strings.NewReader(body)), gavel.Caller{Rights: gavel.RightAllowlist}))
		if want == "" {
			assert.Equal(t, []string{"exec.approvals.get", "exec.approvals.set"}, node.methods)
			continue
		}
		assert.Contains(t, w.Body.String(), want)
		assert.Equal(t, []string{"exec.approvals.get"}, node.methods, "nothing is set")
	}
}

// fullDisk is a node whose answer is an error of its disk.
type fullDisk struct{ err error }

func (f fullDisk) Call(context.Context, string, string, []byte) ([]byte, error) {
	return nil, fmt.Errorf("replace the file: %w", f.err)
}

func TestRT31AFullDiskIsReportedAsSuchInJSONRPC(t *testing.T) {
	for cause, code := range map[error]string{syscall.ENOSPC: gavel.CodeApprovalsUnavailable, syscall.EDQUOT: gavel.CodeApprovalsUnavailable, syscall.EIO: ""} {
		a, _, _ := newAPI(t, fullDisk{cause})
		w := httptest.NewRecorder()
		body := `{"jsonrpc":"2.0","id":1,"method":"exec.approvals.node.get","params":{"nodeId":"mac"}}`
		require.NoError(t, a.Handlers()["POST /rpc"](w, httptest.NewRequest(http.MethodPost, "/rpc", strings.NewReader(body)), gavel.Caller{Rights: gavel.RightAllowlist}))
		var answer struct {
			Error struct {
				Code int
				Data struct{ Code string }
			}
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
		assert.Equal(t, code, answer.Error.Data.Code, w.Body)
		assert.Equal(t, code == "", answer.Error.Code == -32603, "a bug is what nobody expects")
	}
}
