//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryProbeUsesItsArguments(t *testing.T) {
	t.Parallel()
	p := probes{unlistedNames()}
	count := 0
	for text := range p.all {
		require.NotContains(t, text, "%!", "a format does not use its name and its value")
		count++
	}
	assert.Greater(t, count, 50_000)
	distinct := map[string]bool{}
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		distinct[p.any(r)] = true
	}
	assert.Greater(t, len(distinct), 400)
}

func TestShellsReportTheirSpecialNames(t *testing.T) {
	t.Parallel()
	found, _ := shells(nil)
	all := readVocabulary(t.Context(), found)
	for _, name := range []string{"SRANDOM", "PGRP", "ZLE_RPROMPT_INDENT", "BASH_ENV"} {
		assert.True(t, slices.Contains(all.variables, name), name)
	}
	if slices.ContainsFunc(found, func(sh shell) bool { return sh.name == "bash" }) {
		assert.True(t, slices.Contains(all.variables, "BASH_VERSINFO"), "bash lists its variables")
		assert.True(t, slices.Contains(all.builtins, "compgen"))
	}
	for _, name := range all.variables {
		assert.Empty(t, strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"), "%q is not a name", name)
	}
}
