package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"strata/health"
	"strata/health/observe"
	"strata/internal/ssh/remote"
)

// refusal returns an agent's log line about a server's refusal, logged at the given second.
func refusal(second int) string {
	return fmt.Sprintf(`time="2026-11-22T15:00:%02dZ" level=info msg="Waiting to retrieve agent configuration; server is not ready: failed to retrieve configuration from server: not authorized"`, second)
}

// heard is one observation of an agent's log, at a time in seconds. refused has the times of the
// refusals so far, and join is the HTTP status of the join server.
type heard struct {
	at      int
	refused []int
	join    string
	log     string // a line after the refusals
}

func watchComplaint(lines ...heard) (states []health.State) {
	start := time.Unix(0, 0)
	now := start
	c := complaint{stable: observe.NewStable(func() time.Time { return now })}
	host := health.Host{Target: remote.Target{Name: "agent-1"}, Role: "agent"}
	for _, line := range lines {
		now = start.Add(time.Duration(line.at) * time.Second)
		facts := UnitFacts{Seen: true, Load: "loaded", Active: "activating", Sub: "start",
			Join: line.join}
		for _, second := range line.refused {
			facts.Log = append(facts.Log, refusal(second))
		}
		if line.log != "" {
			facts.Log = append(facts.Log, line.log)
		}
		facts.Seconds = c.seconds(facts)
		states = append(states, JudgeUnit(host, facts).State)
	}
	return states
}

func TestTokenIsWrongOnlyAfterRepeatedRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		lines []heard
		want  health.State
	}{
		"refused three times in 16 s": {[]heard{{0, []int{0}, "401", ""},
			{7, []int{0, 7}, "401", ""}, {16, []int{0, 7, 16}, "401", ""}}, health.Stuck},
		"refused once, a minute ago": {[]heard{{0, []int{0}, "401", ""},
			{30, []int{0}, "401", ""}, {60, []int{0}, "401", ""}}, health.Waiting},
		"refused twice within a start of 9 s": {[]heard{{0, []int{0}, "503", ""},
			{9, []int{0, 9}, "401", ""}, {20, []int{0, 9}, "401", ""}}, health.Waiting},
		"refused for long by a server that starts": {[]heard{{0, []int{0}, "503", ""},
			{12, []int{0, 12}, "503", ""}, {40, []int{0, 12, 40}, "503", ""}}, health.Waiting},
		"refused for 6 s since the server's API came up": {[]heard{{0, []int{0}, "503", ""},
			{20, []int{0, 20}, "401", ""}, {26, []int{0, 20, 26}, "401", ""}}, health.Waiting},
		"refused again after the server was unreachable": {[]heard{{0, []int{0}, "401", ""},
			{12, []int{0}, "000", ""}, {20, []int{0, 20}, "401", ""}}, health.Waiting},
		"refused, then the server is unreachable": {[]heard{{0, []int{0}, "401", ""},
			{12, []int{0, 12}, "401",
				`level=error msg="Failed to validate connection to cluster: connect: connection refused"`}}, health.Waiting},
	} {
		t.Run(name, func(t *testing.T) {
			states := watchComplaint(test.lines...)
			assert.Equal(t, test.want, states[len(states)-1], "%v", states)
		})
	}
}

func TestRefusalsAreTimedAcrossK3sRestarts(t *testing.T) {
	now := time.Unix(0, 0)
	c := complaint{stable: observe.NewStable(func() time.Time { return now })}
	fatal := func(second int) UnitFacts {
		return UnitFacts{Seen: true, Active: "activating", Sub: "auto-restart", Join: "401",
			Log: []string{
				fmt.Sprintf(`time="2026-11-22T15:00:%02dZ" level=fatal msg="Error: preparing server: failed to bootstrap cluster data: not authorized"`, second),
			}}
	}
	assert.Equal(t, 0, c.seconds(fatal(0)))
	now = now.Add(5 * time.Second)
	assert.Equal(t, 0, c.seconds(UnitFacts{Seen: true, Active: "activating", Sub: "start"}))
	now = now.Add(2 * time.Second)
	assert.Equal(t, 7, c.seconds(fatal(7)))
	now = now.Add(time.Second)
	assert.Equal(t, 7, c.seconds(fatal(7)), "the same line again is no repetition")
	assert.Equal(t, 0, c.seconds(UnitFacts{Seen: true, Active: "active", Sub: "running"}))
	assert.Equal(t, 0, c.seconds(fatal(9)), "it had worked in between")
}

// Each error is timed until the log shows another one. An unreachable join server resets only the
// time of refusals.
func TestEachErrorOfUnitIsTimedSeparately(t *testing.T) {
	now := time.Unix(0, 0)
	c := complaint{stable: observe.NewStable(func() time.Time { return now })}
	told := func(second int, join string, log ...string) int {
		now = time.Unix(int64(second), 0)
		return c.seconds(UnitFacts{Seen: true, Active: "activating", Sub: "start", Join: join,
			Log: log})
	}
	const full = `level=error msg="write /var/lib/rancher/k3s/agent/x: no space left on device"`
	assert.Equal(t, 0, told(0, "000", full))
	assert.Equal(t, 9, told(9, "000", full))

	assert.Equal(t, 0, told(10, "401", refusal(10)))
	assert.Equal(t, 7, told(17, "401", refusal(17)))
	assert.Equal(t, 0, told(18, "401", full))
	assert.Equal(t, 0, told(19, "401", refusal(17)), "counted anew")
}

func TestLongK3sLogLineIsTruncated(t *testing.T) {
	line := strings.Repeat("x", 240)
	assert.Equal(t, line, shortLine(line))
	assert.Equal(t, line+"…", shortLine(line+"x"))
}

func TestRepeatedRefusalIsStuckAfterTenSeconds(t *testing.T) {
	wrong := unitCause{state: health.Stuck, belief: repeated}
	assert.True(t, wrong.isConclusive(UnitFacts{Seconds: insistSeconds}, ""))
	assert.False(t, wrong.isConclusive(UnitFacts{Seconds: insistSeconds - 1}, ""))
}

func TestEvidenceHasOnlyLogLinesOfCauseAndExit(t *testing.T) {
	const (
		differs = `level=warning msg="critical configuration mismatched: ClusterDNS"`
		flag    = `level=fatal msg="flag provided but not defined: -bogus"`
		full    = `level=error msg="write /var/lib/rancher/k3s/agent/x: no space left on device"`
		ends    = `level=fatal msg="Error: starting kubernetes: boom"`
	)
	assert.Equal(t, []string{flag}, findCauseLines([]string{differs, flag}))
	assert.Equal(t, []string{full, ends}, findCauseLines([]string{full, ends}))
}
