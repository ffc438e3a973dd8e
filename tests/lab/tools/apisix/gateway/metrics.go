package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// metrics implements the plugin prometheus: counts for each route, with the official names.
type metrics struct {
	mu        sync.Mutex
	status    map[string]int
	latency   map[string]int
	bandwidth map[string]int
}

// buckets are the upper bounds of apisix_http_latency, in milliseconds.
var buckets = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000}

func newMetrics() *metrics {
	return &metrics{status: map[string]int{}, latency: map[string]int{}, bandwidth: map[string]int{}}
}

// recorder records the status code and the size of a response.
type recorder struct {
	http.ResponseWriter
	code, bytes int
}

func (r *recorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(body []byte) (int, error) {
	n, err := r.ResponseWriter.Write(body)
	r.bytes += n
	return n, err
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// count counts a response. node is the address of the Pod that sent it, or empty if the gateway
// itself did.
func (m *metrics) count(route, node string, answer *recorder, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status[fmt.Sprintf(`apisix_http_status{code="%d",route=%q,node=%q}`, answer.code, route, node)]++
	m.bandwidth[fmt.Sprintf(`apisix_bandwidth{type="egress",route=%q}`, route)] += answer.bytes
	for _, bound := range buckets {
		if took <= time.Duration(bound)*time.Millisecond {
			m.latency[fmt.Sprintf(`apisix_http_latency_bucket{type="request",route=%q,le="%d"}`, route, bound)]++
		}
	}
	m.latency[fmt.Sprintf(`apisix_http_latency_bucket{type="request",route=%q,le="+Inf"}`, route)]++
}

func (m *metrics) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/apisix/prometheus/metrics" {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for _, family := range []struct {
		name, kind string
		series     map[string]int
	}{
		{"apisix_bandwidth", "counter", m.bandwidth},
		{"apisix_http_latency", "histogram", m.latency},
		{"apisix_http_status", "counter", m.status},
		{"apisix_nginx_http_current_connections", "gauge",
			map[string]int{`apisix_nginx_http_current_connections{state="active"}`: 1}},
		{"apisix_node_info", "gauge", map[string]int{`apisix_node_info{hostname="stand-in"}`: 1}},
	} {
		if len(family.series) == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("# TYPE %s %s", family.name, family.kind))
		for _, series := range slices.Sorted(maps.Keys(family.series)) {
			lines = append(lines, fmt.Sprintf("%s %d", series, family.series[series]))
		}
	}
	_, _ = fmt.Fprintln(w, strings.Join(lines, "\n")) // Prometheus may have disconnected
}
