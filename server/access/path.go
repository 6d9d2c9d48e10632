package access

import (
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"
)

// Part is the text of the path in place of a part in braces. The router takes it from the path as it
// was sent if that is written in another way than usual, as team%2Fa for team/a.
func Part(r *http.Request, name string) string {
	text := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return text
	}
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}
