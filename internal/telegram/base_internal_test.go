package telegram

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHTTPReachesThisMachineOnly(t *testing.T) {
	assert.Nil(t, permit(DefaultBase))
	assert.Nil(t, permit("HTTPS://bots.example"))
	at := permit("http://localhost:8081")
	assert.NoError(t, at("127.0.0.1:8081"))
	assert.Error(t, at("192.0.2.1:8081"), "the name leads elsewhere")
}
