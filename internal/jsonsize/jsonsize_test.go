package jsonsize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel/internal/jsonsize"
)

func TestOnlyTextOutsideStringsCounts(t *testing.T) {
	t.Parallel()
	const depth, values = 2, 4
	for name, tc := range map[string]struct {
		text    string
		at      int
		problem jsonsize.Problem
		null    bool
	}{
		"nothing":                            {``, 0, 0, false},
		"one value":                          {`1`, 0, 0, false},
		"as deep as may be":                  {`[[1]]`, 0, 0, false},
		"one bracket deeper":                 {`[[[1]]]`, 2, jsonsize.TooDeep, false},
		"an object that is one deeper":       {`{"a":{"b":{}}}`, 10, jsonsize.TooDeep, false},
		"brackets beside one another":        {`[[],[]]`, 4, jsonsize.TooMany, false},
		"as many values as may be":           {`[1,2,3]`, 0, 0, false},
		"one value more":                     {`[1,2,3,4]`, 6, jsonsize.TooMany, false},
		"commas and brackets in a string":    {`["[[[,,,,\"[,,"]`, 0, 0, false},
		"a string that ends in a backslash":  {`["\\",null]`, 0, 0, true},
		"a null":                             {`[null]`, 0, 0, true},
		"the word null in a string":          {`["null"]`, 0, 0, false},
		"a null before the document is deep": {`[null,[[`, 7, jsonsize.TooDeep, true},
	} {
		at, problem, null := jsonsize.Scan([]byte(tc.text), depth, values)
		assert.Equal(t, tc.problem, problem, name)
		assert.Equal(t, tc.at, at, name)
		assert.Equal(t, tc.null, null, name)
	}
}
