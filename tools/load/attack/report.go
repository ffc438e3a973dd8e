package attack

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Report counts all requests and their results, in total and by phase.
type Report struct {
	// URL is the target, and Rate the intended number of requests a second.
	URL  string `json:"url"`
	Rate int    `json:"rate"`
	// Unsent counts the requests that the rate and the time require, but that were not sent: this
	// machine could not keep up, or too many were open.
	Unsent int `json:"unsent"`
	// Total sums up Phases, which are in order of time.
	Total  Phase   `json:"total"`
	Phases []Phase `json:"phases"`
}

// Phase counts the requests that were sent during one phase, by their results.
type Phase struct {
	Name string `json:"name"`
	// Sent = Answered + Lost. Answered have a status of 200 to 299; every other answer counts as
	// lost, and so does a missing one.
	Sent     int `json:"sent"`
	Answered int `json:"answered"`
	Lost     int `json:"lost"`
	// FirstLost and LastLost are the times at which the first and the last lost request were sent.
	// Compared with the log of the actions, they show whether the losses are a gap or single
	// requests.
	FirstLost time.Time `json:"firstLost,omitzero"`
	LastLost  time.Time `json:"lastLost,omitzero"`
	// Statuses counts answers by status, and Errors the failures without an answer, by cause.
	Statuses map[string]int `json:"statuses,omitempty"`
	Errors   map[string]int `json:"errors,omitempty"`
	// Headers counts answers by the value of Options.Header.
	Headers map[string]int `json:"headers,omitempty"`
	// Latency is the latency of the answered requests.
	Latency Latency `json:"latency"`

	// latencies counts the answered requests by their latency, rounded to precision. So its size
	// depends on the distinct values, not on the duration of the load.
	latencies map[time.Duration]int
}

// clock formats times of the day.
const clock = "15:04:05.000"

// precision is the unit that latencies are rounded to.
const precision = 10 * time.Microsecond

// Latency has percentiles in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// timeline counts the results of each phase as they arrive. It does not keep them.
type timeline struct {
	mutex  sync.Mutex
	phases []Phase
	starts []time.Time
	total  Phase
}

func newTimeline(at time.Time) *timeline {
	return &timeline{phases: []Phase{{Name: startPhase}}, starts: []time.Time{at},
		total: Phase{Name: "total"}}
}

// begin starts a phase now. Requests that were sent before belong to earlier phases.
func (t *timeline) begin(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.phases, t.starts = append(t.phases, Phase{Name: name}), append(t.starts, time.Now())
}

// add counts a result in the phase in which its request was sent.
func (t *timeline) add(result *vegeta.Result, header string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.phases[t.phaseIndex(result.Timestamp)].add(result, header)
	t.total.add(result, header)
}

// phaseIndex returns the index of the phase at a time.
func (t *timeline) phaseIndex(at time.Time) int {
	index := 0
	for i, start := range t.starts {
		if !at.Before(start) {
			index = i
		}
	}
	return index
}

// report returns the counts. It leaves out a phase without a request, unless there is no other.
func (t *timeline) report(meant int, opts Options) *Report {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	report := &Report{URL: opts.URL, Rate: opts.Rate, Unsent: max(meant-t.total.Sent, 0),
		Total: t.total.withPercentiles()}
	for _, phase := range t.phases {
		if phase.Sent > 0 {
			report.Phases = append(report.Phases, phase.withPercentiles())
		}
	}
	return report
}

func (p *Phase) add(result *vegeta.Result, header string) {
	p.Sent++
	count := func(in *map[string]int, key string) {
		if *in == nil {
			*in = map[string]int{}
		}
		(*in)[key]++
	}
	if result.Code == 0 {
		p.lose(result.Timestamp)
		count(&p.Errors, cause(result.Error))
		return
	}
	count(&p.Statuses, fmt.Sprint(result.Code))
	if value := result.Headers.Get(header); header != "" && value != "" {
		count(&p.Headers, value)
	}
	if result.Code < 200 || result.Code > 299 {
		p.lose(result.Timestamp)
		return
	}
	if result.Error != "" { // the answer broke off
		p.lose(result.Timestamp)
		count(&p.Errors, cause(result.Error))
		return
	}
	p.Answered++
	if p.latencies == nil {
		p.latencies = map[time.Duration]int{}
	}
	p.latencies[result.Latency.Round(precision)]++
}

// lose counts a lost request. It compares the times, because results do not arrive in the order in
// which requests were sent.
func (p *Phase) lose(sent time.Time) {
	p.Lost++
	if p.FirstLost.IsZero() || sent.Before(p.FirstLost) {
		p.FirstLost = sent
	}
	if sent.After(p.LastLost) {
		p.LastLost = sent
	}
}

// withPercentiles returns the phase with its percentiles.
func (p Phase) withPercentiles() Phase {
	ascending := slices.Sorted(maps.Keys(p.latencies))
	rank := func(quantile float64) float64 {
		left := int(math.Ceil(quantile * float64(p.Answered)))
		for _, latency := range ascending {
			if left -= p.latencies[latency]; left <= 0 {
				return float64(latency) / float64(time.Millisecond)
			}
		}
		return 0
	}
	p.Latency = Latency{P50: rank(0.5), P95: rank(0.95), P99: rank(0.99), Max: rank(1)}
	return p
}

// causes map parts of errors to their causes; the errors' other parts differ by ports.
var causes = []struct{ part, cause string }{
	{"connection refused", "connection refused"}, {"connection reset", "connection reset"},
	{"broken pipe", "connection reset"},
	{"EOF", "closed without an answer"},
	{"server closed idle connection", "closed without an answer"},
	{"Client.Timeout", "no answer in time"}, {"deadline exceeded", "no answer in time"},
	{"i/o timeout", "no answer in time"},
	{"no route to host", "no route"}, {"certificate", "certificate refused"},
	{"too many open files", "too many open files here"},
}

func cause(text string) string {
	for _, one := range causes {
		if strings.Contains(text, one.part) {
			return one.cause
		}
	}
	return text
}

// Text returns the report as a table, with the losses below it.
func (r *Report) Text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "POST %s, %d a second\n\n%-28s %8s %8s %8s %9s %9s %9s %9s\n", r.URL, r.Rate,
		"phase", "sent", "answered", "lost", "p50 ms", "p95 ms", "p99 ms", "max ms")
	rows := r.Phases
	if len(rows) != 1 {
		rows = append(slices.Clone(rows), r.Total)
	}
	for _, p := range rows {
		fmt.Fprintf(&out, "%-28s %8d %8d %8d %9.1f %9.1f %9.1f %9.1f\n", p.Name, p.Sent, p.Answered,
			p.Lost, p.Latency.P50, p.Latency.P95, p.Latency.P99, p.Latency.Max)
	}
	if r.Unsent > 0 {
		fmt.Fprintf(&out, "  %d requests were not sent: this machine could not keep the rate\n",
			r.Unsent)
	}
	for _, p := range r.Phases {
		if p.Lost > 0 {
			fmt.Fprintf(&out, "  %s: lost of what was sent from %s to %s\n", p.Name,
				p.FirstLost.Format(clock), p.LastLost.Format(clock))
		}
		for _, one := range []struct {
			what   string
			counts map[string]int
		}{{"status", p.Statuses}, {"error", p.Errors}, {"header", p.Headers}} {
			for _, key := range slices.Sorted(maps.Keys(one.counts)) {
				fmt.Fprintf(&out, "  %s: %s %s: %d\n", p.Name, one.what, key, one.counts[key])
			}
		}
	}
	return out.String()
}
