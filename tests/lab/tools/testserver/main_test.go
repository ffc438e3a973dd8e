package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGetReturnsThePodsName(t *testing.T) {
	recorder := httptest.NewRecorder()
	handler("pod-1", behaviour{}).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/any", nil))
	if got := recorder.Body.String(); got != "pod-1\n" {
		t.Errorf("body is %q, expected the Pod's name", got)
	}
}

func TestPostIsEchoed(t *testing.T) {
	server := httptest.NewServer(handler("pod-1", behaviour{}))
	defer server.Close()
	response, err := http.Post(server.URL, "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != "hello" || response.Header.Get("X-Pod") != "pod-1" {
		t.Errorf("got %q from %q, expected the body back from pod-1", body, response.Header.Get("X-Pod"))
	}
}

func TestTooLargeBodyIsRejected(t *testing.T) {
	recorder := httptest.NewRecorder()
	body := strings.NewReader(strings.Repeat("x", maxBody+1))
	handler("pod-1", behaviour{}).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", body))
	if recorder.Code != http.StatusBadRequest {
		t.Errorf("status is %d, expected 400", recorder.Code)
	}
}

func TestServerFollowsEnvironmentSettings(t *testing.T) {
	environment := map[string]string{"TAKES": "1ms", "DRAIN": "0s", "VERSION": "v2", "FAIL": "500"}
	behave, err := behaviourFrom(func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	if behave.drain != 0 {
		t.Errorf("drain is %s, expected none", behave.drain)
	}
	recorder := httptest.NewRecorder()
	handler("pod-1", behave).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("hello")))
	if recorder.Code != http.StatusInternalServerError || recorder.Header().Get("X-Version") != "v2" {
		t.Errorf("answered %d with %v", recorder.Code, recorder.Header())
	}
	for name, text := range map[string]string{"TAKES": "long", "FAIL": "200", "HOLDS": "-1"} {
		if _, err := behaviourFrom(func(asked string) string {
			return map[string]string{
				name: text}[asked]
		}); err == nil {
			t.Errorf("%s=%s was taken", name, text)
		}
	}
}
