package load

import (
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// A load that runs for a day at 50 a second has 4 million results.
func TestAReportDoesNotGrowWithItsRequests(t *testing.T) {
	const requests = 1_000_000
	began := time.Now()
	counting := newTimeline(began)
	before := heap()
	for i := range requests {
		counting.add(&vegeta.Result{Code: 200, Timestamp: began, Latency: time.Duration(i%5000) * time.Microsecond, Headers: http.Header{}}, "")
	}
	grown := heap() - before
	report := counting.report(requests, Options{})
	assert.Equal(t, requests, report.Total.Answered)
	assert.Less(t, grown, int64(1<<20), "bytes")
	assert.Equal(t, Latency{P50: 2.5, P95: 4.75, P99: 4.95, Max: 5}, report.Total.Latency)
}

func heap() int64 {
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.HeapAlloc)
}
