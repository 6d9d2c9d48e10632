package server

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"gavel/internal/strictjson"
)

// body reads a request's body into a pooled buffer, which release takes back.
// The caller must not keep its bytes.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (*bytes.Buffer, error) {
	if err := checkMedia(r.Header); err != nil {
		return nil, err
	}
	if r.ContentLength > s.cfg.MaxBody {
		return nil, errTooLarge(s.cfg.MaxBody)
	}
	buf := s.buffer()
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody)); err != nil {
		s.release(buf)
		return nil, readError(err)
	}
	return buf, nil
}

// checkMedia accepts a body that is declared as JSON, as curl -d declares any, or not
// at all; it is read as JSON in every case.
func checkMedia(header http.Header) error {
	refused := &apiError{Code: codeUnsupportedMedia, Message: "the body is not plain JSON",
		Fix: "send Content-Type: application/json, in UTF-8 and without Content-Encoding"}
	types := header["Content-Type"]
	if len(header["Content-Encoding"]) > 0 || len(types) > 1 {
		return refused
	}
	if len(types) == 0 || types[0] == "application/json" {
		return nil
	}
	media, params, err := mime.ParseMediaType(types[0])
	// curl -d and its like name a form when they are told nothing else. What the
	// body is taken for does not depend on it, and a page in a browser gets no
	// further for it: it cannot send a token, and its Origin is refused.
	if err != nil || media != "application/json" && media != "application/x-www-form-urlencoded" {
		return refused
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return refused
		}
	}
	return nil
}

// respond writes v as the whole answer. It is encoded first, so that an answer
// is either complete or an error.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, status int, v any) {
	buf := s.buffer()
	defer s.release(buf)
	if err := strictjson.Write(buf, v); err != nil {
		s.log.ErrorContext(r.Context(), "answer not encoded", "path", r.URL.Path, "error", err)
		buf.Reset()
		status = http.StatusInternalServerError
		buf.WriteString(`{"error":{"code":"internal","message":"the answer could not be encoded",` +
			`"fix":"report this with the server's log"}}` + "\n")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	if _, err := w.Write(buf.Bytes()); err != nil {
		s.log.DebugContext(r.Context(), "answer not delivered", "path", r.URL.Path, "error", err)
	}
}

func (s *Server) buffer() *bytes.Buffer {
	if buf, ok := s.buffers.Get().(*bytes.Buffer); ok {
		return buf
	}
	return new(bytes.Buffer)
}

func (s *Server) release(buf *bytes.Buffer) {
	if buf.Cap() > maxPooled {
		return
	}
	buf.Reset()
	s.buffers.Put(buf)
}
