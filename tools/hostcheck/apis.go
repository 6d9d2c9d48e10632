package main

import (
	"fmt"
	"net/http"
)

// serveAnthropic answers like Anthropic's Messages API.
func (m *model) serveAnthropic(w http.ResponseWriter, body object, id int, stream bool) {
	printed := list(body, "messages")
	content := object{"type": "text", "text": "done"}
	reason := "end_turn"
	if c := m.next(firstUserMessage(printed), toolResults(printed, `"type":"tool_result"`), len(list(body, "tools")) > 0); c != nil {
		content = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", id), "name": c.name, "input": c.args}
		reason = "tool_use"
	}
	message := object{"id": fmt.Sprintf("msg_%d", id), "type": "message", "role": "assistant", "model": body["model"], "content": []object{content},
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !stream {
		writeJSON(w, message)
		return
	}
	send := eventWriter(w)
	message["content"], message["stop_reason"] = []object{}, nil
	send("message_start", object{"message": message})
	block, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": content["text"]}
	if content["type"] == "tool_use" {
		block = object{"type": "tool_use", "id": content["id"], "name": content["name"], "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": jsonText(content["input"])}
	}
	send("content_block_start", object{"index": 0, "content_block": block})
	send("content_block_delta", object{"index": 0, "delta": delta})
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	send("message_stop", object{})
}

// serveResponses answers like OpenAI's Responses API.
func (m *model) serveResponses(w http.ResponseWriter, body object, id int) {
	printed := list(body, "input")
	results := toolResults(printed, `"type":"function_call_output"`, `"type":"custom_tool_call_output"`)
	prompts := userMessages(printed)
	item := object{"type": "message", "id": fmt.Sprintf("m_%d", id), "role": "assistant", "status": "completed",
		"content": []object{{"type": "output_text", "text": "done", "annotations": []object{}}}}
	task := prompts[max(0, len(prompts)-1):]
	if c := m.next(task, results, len(list(body, "tools")) > 0); c != nil {
		item = object{"type": "function_call", "id": fmt.Sprintf("fc_%d", id), "call_id": fmt.Sprintf("call_%d", id), "name": c.name,
			"arguments": jsonText(c.args), "status": "completed"}
		if c.namespace != "" {
			item["namespace"] = c.namespace
		}
		if c.custom != "" {
			item = object{"type": "custom_tool_call", "id": fmt.Sprintf("ctc_%d", id), "call_id": fmt.Sprintf("call_%d", id), "name": c.name,
				"input": c.custom, "status": "completed"}
		}
	}
	response := fmt.Sprintf("resp_%d", id)
	send := eventWriter(w)
	send("response.created", object{"response": object{"id": response}})
	send("response.output_item.added", object{"output_index": 0, "item": item})
	send("response.output_item.done", object{"output_index": 0, "item": item})
	send("response.completed", object{"response": object{"id": response, "object": "response", "status": "completed", "output": []object{item},
		"usage": object{"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 1,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2}}})
}

// serveCompletions answers like OpenAI's Chat Completions API.
func (m *model) serveCompletions(w http.ResponseWriter, body object, id int, stream bool) {
	printed := list(body, "messages")
	message, reason := object{"role": "assistant", "content": "done"}, "stop"
	if c := m.next(firstUserMessage(printed), toolResults(printed, `"role":"tool"`), len(list(body, "tools")) > 0); c != nil {
		message = object{"role": "assistant", "content": nil, "tool_calls": []object{{"index": 0, "id": fmt.Sprintf("call_%d", id), "type": "function",
			"function": object{"name": c.name, "arguments": jsonText(c.args)}}}}
		reason = "tool_calls"
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	base := func(choice object) object {
		return object{"id": fmt.Sprintf("c%d", id), "object": "chat.completion.chunk", "created": 1, "model": body["model"], "choices": []object{choice}}
	}
	if !stream {
		whole := base(object{"index": 0, "message": message, "finish_reason": reason})
		whole["object"], whole["usage"] = "chat.completion", usage
		writeJSON(w, whole)
		return
	}
	send := eventWriter(w)
	send("", base(object{"index": 0, "delta": message, "finish_reason": nil}))
	end := base(object{"index": 0, "delta": object{}, "finish_reason": reason})
	end["usage"] = usage
	send("", end)
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// serveGemini answers like Gemini's API.
func (m *model) serveGemini(w http.ResponseWriter, body object, stream bool) {
	printed := list(body, "contents")
	hasTools := false
	for _, tool := range list(body, "tools") {
		hasTools = hasTools || tool["functionDeclarations"] != nil
	}
	part := object{"text": "done"}
	if c := m.next(firstUserMessage(printed), toolResults(printed, `"functionResponse":`), hasTools); c != nil {
		part = object{"functionCall": object{"name": c.name, "args": c.args}}
	}
	whole := object{"candidates": []object{{"content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "scripted"}
	if !stream {
		writeJSON(w, whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\r\n\r\n", jsonText(whole))
}
