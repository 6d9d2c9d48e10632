package approvalapi

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals/allowlist"
)

func TestRT05EachQuestionIsOnOnePageOfTheList(t *testing.T) {
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var all []gavel.Approval
	for i := range 10 {
		all = append(all, gavel.Approval{ID: fmt.Sprintf("id-%02d", i), CreatedAt: start.Add(time.Duration(i/3) * time.Second)}) // several at a time
	}
	var seen []string
	cursor := ""
	for range 10 {
		p, err := parsePage("4", cursor)
		require.NoError(t, err)
		shown, next := p.slice(all)
		assert.LessOrEqual(t, len(shown), 4, "a page has as many as were asked for")
		for i := range shown {
			seen = append(seen, shown[i].ID)
		}
		all = append(all[:1:1], all[2:]...) // some are answered in the meantime
		if cursor = next; next == "" {
			break
		}
	}
	assert.Equal(t, []string{"id-00", "id-01", "id-02", "id-03", "id-04", "id-05", "id-06", "id-07", "id-08", "id-09"}, seen)
	for _, c := range [][2]string{{"0", ""}, {"1001", ""}, {"x", ""}, {"", "x"}, {"", "eCB5"}} {
		_, err := parsePage(c[0], c[1])
		require.Error(t, err, c)
	}
}

func TestRT28AShortTokenIsNeverAccepted(t *testing.T) {
	for _, token := range []string{"a", strings.Repeat("a", 31), strings.Repeat("a", 32)} {
		file, err := allowlist.Open(allowlist.Config{Path: filepath.Join(t.TempDir(), "state", allowlist.Name), Now: time.Now, NewID: uuid.NewString,
			Token: func() string { return token }})
		require.NoError(t, err)
		a := &API{cfg: Config{File: file, LeastToken: 32}}
		assert.Equal(t, len(token) >= 32, a.token(token), token)
	}
}
