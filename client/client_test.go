package client_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/client"
)

func TestAnUnsafeOrAmbiguousConfigurationIsRefused(t *testing.T) {
	for name, config := range map[string]client.Config{
		"nowhere":                     {},
		"two places":                  {URL: "http://127.0.0.1:1", Socket: "/run/gavel.sock"},
		"a token over plain http":     {URL: "http://example.com", Token: "t"},
		"an address that is none":     {URL: "127.0.0.1:8181"},
		"another scheme":              {URL: "ftp://127.0.0.1"},
		"a credential in the address": {URL: "http://a:b@127.0.0.1"},
		"two tokens":                  {URL: "http://127.0.0.1:1", Token: "a", TokenFile: "b"},
		"a negative time limit":       {URL: "http://127.0.0.1:1", Timeout: -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.New(config)
			assert.Error(t, err)
		})
	}
	_, err := client.New(client.Config{URL: "https://gavel.example.com", Transport: http.DefaultTransport})
	assert.NoError(t, err)
}

func TestTheZeroValuesDenyAndRunNothing(t *testing.T) {
	var permit *client.Permit
	for name, zero := range map[string]*client.Permit{"nil": permit, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, gavel.Deny, zero.Decision().Effect)
			_, err := zero.Command(t.Context(), client.Where{Host: "gateway", Dir: "/"})
			assert.Error(t, err)
		})
	}
}
