package approvalapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"gavel/internal/private"
	"gavel/internal/strictjson"
)

const (
	nodeTimeout = 10 * time.Second // for a request to a node
	maxNodeFile = 64 << 10         // bytes of DIR/<node>.json
)

// NodeFiles reaches nodes as DIR/<node>.json says: {"url": "http://127.0.0.1:8181", "token": "…"},
// with a token of the scope admin or approve of that node. The files contain secrets and have mode
// 0600.
type NodeFiles struct {
	Dir    string
	Client *http.Client // does not follow redirects
}

var _ Nodes = NodeFiles{}

// Call implements Nodes.
func (n NodeFiles) Call(ctx context.Context, node, method string, params []byte) ([]byte, error) {
	if !validNode(node) {
		return nil, invalid("a node's name has letters, digits, dots, dashes and underscores")
	}
	text, err := private.ReadFile(filepath.Join(n.Dir, node+".json"), maxNodeFile)
	if err != nil {
		return nil, unavailable(node, err)
	}
	var endpoint struct {
		URL   string `json:"url"`
		Token string `json:"token"`
	}
	if err := strictjson.Unmarshal(text, &endpoint); err != nil {
		return nil, unavailable(node, err)
	}
	ctx, cancel := context.WithTimeout(ctx, nodeTimeout)
	defer cancel()
	return n.post(ctx, node, endpoint.URL, endpoint.Token, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
}

func validNode(node string) bool {
	for _, r := range node {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.') {
			return false
		}
	}
	return node != "" && node[0] != '.' && len(node) <= 64
}

func (n NodeFiles) post(ctx context.Context, node, url, token string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/rpc", bytes.NewReader(body))
	if err != nil {
		return nil, unavailable(node, err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	got, err := n.Client.Do(request)
	if err != nil {
		return nil, unavailable(node, err)
	}
	defer got.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(got.Body, 16<<20))
	if err != nil || got.StatusCode != http.StatusOK {
		return nil, unavailable(node, errors.Join(err, fmt.Errorf("it answers with %s", got.Status)))
	}
	var answered struct {
		Result json.RawMessage `json:"result"`
		Error  *rpcError       `json:"error"`
	}
	if err := json.Unmarshal(text, &answered); err != nil {
		return nil, unavailable(node, err)
	}
	if answered.Error != nil {
		return nil, answered.Error
	}
	return answered.Result, nil
}
