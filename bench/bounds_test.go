package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bench/peers"
)

func TestARatioThatIsWorseThanItsBoundIsNamed(t *testing.T) {
	t.Parallel()
	limits := bounds{"http": {"speed": {AtLeast: 2}, "cost": {AtMost: 0.5}}}
	for name, test := range map[string]struct {
		measured []ratio
		want     string // "" is not an error
	}{
		"both hold":                        {[]ratio{{"speed", 2}, {"cost", 0.5}}, ""},
		"too slow":                         {[]ratio{{"speed", 1.99}, {"cost", 0.5}}, `http: "speed" is 1.99, and must be at least 2`},
		"too dear":                         {[]ratio{{"speed", 2}, {"cost", 0.51}}, `http: "cost" is 0.51, and must be at most 0.5`},
		"not measured":                     {[]ratio{{"speed", 2}}, `http: "cost" has a bound and was not measured`},
		"without a bound":                  {[]ratio{{"speed", 2}, {"cost", 0.5}, {"new", 1}}, `http: "new" is 1 and has no bound`},
		"nothing was divided by something": {[]ratio{{"speed", 2}, {"cost", 0}}, `"cost" is 0`},
		"something was divided by nothing": {[]ratio{{"speed", math.NaN()}, {"cost", 0.1}}, `"speed" is NaN`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := limits.check("http", test.measured)
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestBoundsAreReadStrictly(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an unknown key": `{"http": {"speed": {"least": 1}}}`,
		"no bound":       `{"http": {"speed": {}}}`,
		"two bounds":     `{"http": {"speed": {"atLeast": 1, "atMost": 2}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "bounds.json")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := readBounds(path)
			assert.ErrorContains(t, err, path)
		})
	}
}

// A bound that stands for no ratio, or a ratio that none stands for, would only be
// noticed after minutes otherwise.
func TestEveryRatioHasABound(t *testing.T) {
	t.Parallel()
	limits, err := readBounds("bounds.json")
	require.NoError(t, err)
	lab := peers.Lab{Root: "..", Dir: t.TempDir(), Evaluator: "compiled"}
	servers, err := lab.Servers()
	require.NoError(t, err)
	var all []row
	var processes []*peers.Process
	for _, server := range servers {
		processes = append(processes, &peers.Process{Server: server, FirstAnswer: 1, Memory: 1})
		for _, c := range peers.Cases() {
			if !server.Asks(c) {
				continue
			}
			all = append(all, row{name: c.Name, server: server.Name, rounds: []figures{{1, 1, 1, 1}}})
		}
	}
	for part, measured := range map[string][]ratio{
		"http":       append(httpRatios(all), startRatios(processes)...),
		"in process": inProcessRatios(nil),
		"matrix":     matrixRatios(nil, sizes{[]int{1}, []int{10}}),
	} {
		names := map[string]bool{}
		for _, r := range measured {
			assert.Contains(t, limits[part], r.name)
			names[r.name] = true
		}
		for name := range limits[part] {
			assert.True(t, names[name], "%s: nothing measures %q", part, name)
		}
	}
}

func TestRatiosCompareTheRightRows(t *testing.T) {
	t.Parallel()
	all := []row{
		{name: peers.PlainCall, server: peers.Echo, rounds: []figures{{rate: 1000, cpu: 10, p99: 5}}},
		{name: peers.PlainCall, server: peers.Gavel, rounds: []figures{{rate: 250, cpu: 40, p99: 15}}},
		{name: peers.ExecEachNew, server: peers.Gavel, rounds: []figures{{rate: 1, cpu: 1, p99: 1}}},
	}
	assert.ElementsMatch(t, []ratio{
		{"requests/s of gavel / chi echo, plain tool call", 0.25},
		{"CPU of gavel / chi echo, plain tool call", 4},
		{"p99 of gavel / chi echo, plain tool call", 3},
	}, httpRatios(all))
}

func TestARatioIsTheMedianOfTheRatiosOfTheRounds(t *testing.T) {
	t.Parallel()
	cpu := func(f figures) float64 { return f.cpu }
	value, ok := compare([]figures{{cpu: 40}, {cpu: 400}, {cpu: 30}}, []figures{{cpu: 10}, {cpu: 200}, {cpu: 10}}, cpu)
	assert.True(t, ok)
	assert.InDelta(t, 3, value, 1e-9, "in the second round all was slow, which 40/10 does not show")

	value, ok = compare([]figures{{cpu: 40}, {}, {cpu: 60}}, []figures{{cpu: 10}, {cpu: 1}, {cpu: 10}}, cpu)
	assert.True(t, ok)
	assert.InDelta(t, 6, value, 1e-9, "of the rounds that have both")

	for name, right := range map[string][]figures{"most rounds lack one": {{cpu: 1}, {}, {}}, "there is none": nil} {
		_, ok = compare([]figures{{cpu: 1}, {cpu: 1}, {cpu: 1}}, right, cpu)
		assert.False(t, ok, name)
	}
	_, ok = compare(nil, nil, cpu)
	assert.False(t, ok, "no round was measured")
}
