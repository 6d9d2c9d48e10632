package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// serveMCP is a minimal MCP server that can create a file.
func serveMCP(in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Arguments       struct{ Path, Content string }
			}
		}
		if json.Unmarshal(line, &request) != nil || request.ID == nil {
			continue // a notification
		}
		answer := object{"jsonrpc": "2.0", "id": request.ID}
		switch request.Method {
		case "initialize":
			answer["result"] = object{"protocolVersion": request.Params.ProtocolVersion, "capabilities": object{"tools": object{}},
				"serverInfo": object{"name": "fs", "version": "1"}}
		case "tools/list":
			text := object{"type": "string"}
			answer["result"] = object{"tools": []object{{"name": "write_file", "description": "writes a file",
				"inputSchema": object{"type": "object", "properties": object{"path": text, "content": text}, "required": []string{"path", "content"}}}}}
		case "tools/call":
			err := os.WriteFile(request.Params.Arguments.Path, []byte(request.Params.Arguments.Content), 0o600)
			answer["result"] = object{"content": []object{{"type": "text", "text": "written"}}, "isError": err != nil}
		default:
			answer["error"] = object{"code": -32601, "message": "no such method"}
		}
		if err := json.NewEncoder(out).Encode(answer); err != nil {
			return err
		}
	}
}
