package server

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"gavel/internal/strictjson"
	"gavel/server/access"
)

// requestBody is the body of a request, read to its end. The zero text means no body.
type requestBody struct {
	release func() // gives its memory back; called when the request is over
	text    *bytes.Buffer
}

// size returns the length of the body in bytes.
func (b requestBody) size() int {
	if b.text == nil {
		return 0
	}
	return b.text.Len()
}

// bufferedBody is a body that has been read into memory.
type bufferedBody struct {
	bytes.Reader
	text *bytes.Buffer
}

// Close does nothing: the buffer belongs to the request.
func (*bufferedBody) Close() error { return nil }

// receive reads the body of a request, within its caller's share of memory. A slow body takes up
// nothing but memory. The body of a request that waits for people is released when its handler has
// read it.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, rt route, from caller) (requestBody, error) {
	if rt.Need == access.Open || rt.Method != http.MethodPost && rt.Method != http.MethodPut {
		return requestBody{release: func() {}}, nil
	}
	if err := checkMedia(r.Header); err != nil {
		return requestBody{}, err
	}
	if r.ContentLength > s.cfg.MaxBody {
		return requestBody{}, errTooLarge(s.cfg.MaxBody)
	}
	most := r.ContentLength
	if most < 0 {
		most = s.cfg.MaxBody
	}
	free, err := s.limiter.Reserve(from.credential(), int(most))
	if err != nil {
		return requestBody{}, err
	}
	buf := s.buffer()
	release := func() {
		free()
		s.release(buf)
	}
	if _, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody)); err != nil {
		release()
		// Reading may have used up the time limit of the answer.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.cfg.WriteTimeout))
		return requestBody{}, readError(err)
	}
	sent := r.Body
	read := &bufferedBody{text: buf}
	read.Reset(buf.Bytes())
	r.Body = read
	if rt.Share != access.Runs {
		var once sync.Once
		first := release
		release = func() { once.Do(first) }
		r.Body = &releasingBody{read, release}
	}
	return requestBody{func() {
		r.Body = sent // the buffer will be used by another request
		release()
	}, buf}, nil
}

// releasingBody releases its memory when it has been read to its end.
type releasingBody struct {
	*bufferedBody
	release func()
}

// Read continues to read the body.
func (h *releasingBody) Read(p []byte) (int, error) {
	n, err := h.bufferedBody.Read(p)
	if errors.Is(err, io.EOF) {
		h.release()
	}
	return n, err
}

// body returns the bytes of a request's body. They must not be kept.
func body(r *http.Request) []byte {
	if read, ok := r.Body.(*bufferedBody); ok {
		return read.text.Bytes()
	}
	return nil
}

// checkMedia returns an error unless the body is declared as JSON, as the form type of curl -d, or
// not at all. It is read as JSON in every case.
func checkMedia(header http.Header) error {
	types, coded := header["Content-Type"], len(header["Content-Encoding"]) > 0
	if !coded && (len(types) == 0 || len(types) == 1 && types[0] == "application/json") {
		return nil
	}
	refused := &apiError{Code: codeUnsupportedMedia, Message: "the body is not plain JSON",
		Fix: "send Content-Type: application/json, in UTF-8 and without Content-Encoding"}
	if coded || len(types) > 1 {
		return refused
	}
	media, params, err := mime.ParseMediaType(types[0])
	// curl -d and similar tools declare a form by default. How the body is read does not
	// depend on that, and a page in a browser gains nothing: it cannot send a token, and its
	// Origin is refused.
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

// respond writes v as the answer. It encodes v first, so that an answer is either complete or an
// error.
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
	header := w.Header()
	header["Content-Type"] = s.headers.json
	header["Content-Length"] = []string{strconv.Itoa(buf.Len())}
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
