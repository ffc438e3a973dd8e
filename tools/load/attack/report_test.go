package attack

import (
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// A load of a day with 50 requests a second has 4 million results.
func TestReportSizeIsIndependentOfRequestCount(t *testing.T) {
	const requests = 1_000_000
	began := time.Now()
	counting := newTimeline(began)
	before := heap()
	for i := range requests {
		counting.add(&vegeta.Result{Code: 200, Timestamp: began,
			Latency: time.Duration(i%5000) * time.Microsecond, Headers: http.Header{}}, "")
	}
	grown := heap() - before
	report := counting.report(requests, Options{})
	assert.Equal(t, requests, report.Total.Answered)
	assert.Less(t, grown, int64(1<<20), "bytes")
	assert.Equal(t, Latency{P50: 2.5, P95: 4.75, P99: 4.95, Max: 5}, report.Total.Latency)
}

func TestReportHasTimesOfFirstAndLastLostRequest(t *testing.T) {
	began := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	counting := newTimeline(began)
	for _, one := range []struct {
		sent time.Duration
		code uint16
	}{{0, 200}, {3 * time.Second, 503}, {1 * time.Second, 502}, {2 * time.Second, 200},
		{4 * time.Second, 200}} {
		counting.add(&vegeta.Result{Code: one.code, Timestamp: began.Add(one.sent),
			Headers: http.Header{}}, "")
	}
	report := counting.report(5, Options{})
	assert.Equal(t, began.Add(time.Second), report.Total.FirstLost)
	assert.Equal(t, began.Add(3*time.Second), report.Total.LastLost)
	assert.Contains(t, report.Text(), "start: lost of what was sent from 10:00:01.000 to 10:00:03.000")
	none := newTimeline(began)
	none.add(&vegeta.Result{Code: 200, Timestamp: began, Headers: http.Header{}}, "")
	assert.NotContains(t, none.report(1, Options{}).Text(), "lost of")
}

func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
