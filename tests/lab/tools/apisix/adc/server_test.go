package adc

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"strata/tests/lab/tools/apisix/admin"
)

// put sends a PUT request with a JSON body, as the controller does.
func put(t *testing.T, handler http.Handler, path string, body any) (int, Result) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodPut, path, strings.NewReader(string(text))))
	var result Result
	_ = json.Unmarshal(answer.Body.Bytes(), &result) // an error response has another form
	return answer.Code, result
}

func task(servers ...string) map[string]any {
	return map[string]any{"task": map[string]any{
		"opts": map[string]any{"backend": "apisix-standalone", "server": servers, "token": "k",
			"cacheKey": "GatewayProxy/apisix/config", "tlsSkipVerify": true},
		"config": Resources{Services: []Service{{Metadata: Metadata{ID: "a",
			Labels: map[string]string{"k8s/name": "shop"}},
			Upstream: &Upstream{Nodes: []admin.Node{{Host: "h", Port: 1, Weight: 1}}}}}},
	}}
}

func TestSyncReachesEveryDataPlaneAndReportsResults(t *testing.T) {
	var last atomic.Value
	good := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var config admin.Config
		if r.Method == http.MethodPut && json.NewDecoder(r.Body).Decode(&config) == nil &&
			r.Header.Get(admin.Header) == "k" && r.Header.Get(admin.Digest) != "" {
			last.Store(config)
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer good.Close()
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer refuses.Close()
	adc := Handler()
	code, result := put(t, adc, "/sync", task(good.URL, refuses.URL))
	if code != http.StatusAccepted || result.SuccessCount != 1 || result.FailedCount != 1 ||
		result.Status != "partial_failure" {
		t.Errorf("found %d %+v", code, result)
	}
	if one := result.EndpointStatus[1]; one.Success || one.Server != refuses.URL || one.Reason == "" {
		t.Errorf("found %+v", one)
	}
	want := admin.Config{
		Services:  []admin.Service{{ID: "a", Labels: map[string]string{"k8s/name": "shop"}, UpstreamID: "a"}},
		Upstreams: []admin.Upstream{{ID: "a", Nodes: []admin.Node{{Host: "h", Port: 1, Weight: 1}}}},
	}
	if got := last.Load(); !reflect.DeepEqual(got, want) {
		t.Errorf("expected %+v, found %+v", want, got)
	}
	if code, _ := put(t, adc, "/sync", task()); code != http.StatusBadRequest {
		t.Errorf("without a server: expected 400, found %d", code)
	}
}

// Before the first sync, ADC reads the configuration of every data plane. If one does not respond,
// nothing is sent to any of them. In later syncs, a data plane that does not respond affects only
// itself.
func TestFirstSyncFailsUnlessEveryDataPlaneAnswers(t *testing.T) {
	puts := atomic.Int64{}
	good := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			puts.Add(1)
		}
	}))
	defer good.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	adc := Handler()
	if code, _ := put(t, adc, "/sync",
		task(good.URL, gone.URL)); code != http.StatusInternalServerError || puts.Load() != 0 {
		t.Errorf("expected 500 and nothing sent, found %d and %d", code, puts.Load())
	}
	put(t, adc, "/sync", task(good.URL))
	if code, result := put(t, adc, "/sync",
		task(good.URL, gone.URL)); code != http.StatusAccepted || result.SuccessCount != 1 ||
		puts.Load() != 2 {
		t.Errorf("expected one of two, found %d %+v", code, result)
	}
}
