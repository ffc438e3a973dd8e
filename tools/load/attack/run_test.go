package attack_test

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tools/load/attack"
)

// options returns options for a server.
func options(server *httptest.Server) attack.Options {
	return attack.Options{URL: server.URL, Rate: 200, Duration: 500 * time.Millisecond,
		Timeout: 10 * time.Second, Body: []byte("hello"), Header: "X-Version"}
}

func TestEveryRequestIsPOSTAndIsCounted(t *testing.T) {
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost && string(body) == "hello" {
			served.Add(1)
		}
		w.Header().Set("X-Version", "v1")
	}))
	defer server.Close()
	report, err := attack.Run(t.Context(), options(server), nil)
	require.NoError(t, err)
	sent := report.Total.Sent
	assert.Equal(t, 100, sent+report.Unsent, "the rate times the duration")
	assert.EqualValues(t, sent, served.Load())
	assert.Equal(t, sent, report.Total.Answered)
	assert.Zero(t, report.Total.Lost)
	assert.Equal(t, map[string]int{"200": sent}, report.Total.Statuses)
	assert.Equal(t, map[string]int{"v1": sent}, report.Total.Headers)
	assert.Positive(t, report.Total.Latency.P50)
	assert.GreaterOrEqual(t, report.Total.Latency.Max, report.Total.Latency.P99)
}

// A proxy without a backend answers with an error, so such a request is lost.
func TestUnexpectedAnswersCountAsLost(t *testing.T) {
	for name, test := range map[string]struct {
		handle http.HandlerFunc
		change func(*attack.Options)
		status string
		errors string
	}{
		"502": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
		}, nil, "502", ""},
		"404": {http.NotFound, nil, "404", ""},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, nil, "302", ""},
		"a closed connection": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, nil, "", "closed without an answer"},
		"half an answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		}, nil, "", "closed without an answer"},
		"too late": {func(_ http.ResponseWriter, r *http.Request) {
			// A server notices a client's disconnect only once it has read the body.
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, func(o *attack.Options) { o.Timeout = 100 * time.Millisecond }, "", "no answer in time"},
		"nothing listens": {nil, func(o *attack.Options) { o.URL = "http://127.0.0.1:1" }, "",
			"connection refused"},
		"another CA": {nil, func(o *attack.Options) { o.URL = secure(t).URL }, "",
			"certificate refused"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.handle)
			defer server.Close()
			opts := options(server)
			if test.change != nil {
				test.change(&opts)
			}
			report, err := attack.Run(t.Context(), opts, nil)
			require.NoError(t, err)
			sent := report.Total.Sent
			assert.Positive(t, sent)
			assert.Equal(t, sent, report.Total.Lost)
			assert.Zero(t, report.Total.Answered)
			assert.Equal(t, sent, report.Total.Statuses[test.status]+
				report.Total.Errors[test.errors],
				"%+v", report.Total)
		})
	}
}

func secure(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Host", r.Host)
		}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // otherwise it logs a line for each refused handshake
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestConnectToAddressIsUsedInsteadOfDNS(t *testing.T) {
	server := secure(t)
	opts := options(server)
	opts.URL, opts.ConnectTo = "https://example.com/", strings.TrimPrefix(server.URL, "https://")
	opts.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	opts.Header = "X-Host"
	report, err := attack.Run(t.Context(), opts, nil)
	require.NoError(t, err)
	assert.Positive(t, report.Total.Answered)
	assert.Zero(t, report.Total.Lost, "%+v", report.Total)
	assert.Equal(t, map[string]int{"example.com": report.Total.Answered}, report.Total.Headers)
}

// A request belongs to the phase in which it was sent.
func TestRequestsAreCountedByPhase(t *testing.T) {
	var broken atomic.Bool
	served := make(chan struct{}, 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served <- struct{}{}
		if broken.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	opts := options(server)
	opts.Duration = 0
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	phases := make(chan string)
	some := func() {
		for range 20 {
			<-served
		}
	}
	go func() {
		some()
		phases <- "rollout"
		some() // earlier requests are answered by then
		broken.Store(true)
		some()
		stop()
	}()
	report, err := attack.Run(ctx, opts, phases)
	require.NoError(t, err)
	require.Len(t, report.Phases, 2)
	before, rollout := report.Phases[0], report.Phases[1]
	assert.Equal(t, "rollout", rollout.Name)
	assert.Zero(t, before.Lost)
	assert.Positive(t, rollout.Lost)
	assert.Equal(t, report.Total.Sent, before.Sent+rollout.Sent)
	assert.Equal(t, report.Total.Lost, rollout.Lost)
	assert.Contains(t, report.Text(), "rollout: status 503:")
}

func TestInvalidAttackOptionsAreRefused(t *testing.T) {
	for name, opts := range map[string]attack.Options{
		"no URL":     {URL: "shop", Rate: 1, Timeout: time.Second},
		"no rate":    {URL: "http://a", Timeout: time.Second},
		"no timeout": {URL: "http://a", Rate: 1},
		"no CA":      {URL: "https://a", Rate: 1, Timeout: time.Second, CA: []byte("x")},
	} {
		_, err := attack.Run(t.Context(), opts, nil)
		assert.Error(t, err, name)
	}
}
