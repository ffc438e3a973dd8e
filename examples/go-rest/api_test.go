package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAPICreatesReadsAndDeletesItem(t *testing.T) {
	handler := newAPI().handler()
	for _, step := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", "/healthz", "", 200, `"ok"`},
		{"GET", "/api/v1/items", "", 200, "[]"},
		{"POST", "/api/v1/items", `{"name":"first"}`, 201, `{"id":1,"name":"first"}`},
		{"POST", "/api/v1/items", `{"name":""}`, 400, "expected"},
		{"POST", "/api/v1/items", `{"nmae":"x"}`, 400, "expected"},
		{"POST", "/api/v1/items", `{"name":"` + strings.Repeat("x", maxName+1) + `"}`, 400,
			"expected"},
		{"GET", "/api/v1/items", "", 200, `[{"id":1,"name":"first"}]`},
		{"GET", "/api/v1/items/1", "", 200, "first"},
		{"GET", "/api/v1/items/x", "", 404, "no such item"},
		{"DELETE", "/api/v1/items/1", "", 204, ""},
		{"DELETE", "/api/v1/items/1", "", 404, "no such item"},
		{"POST", "/api/v1/items", `{"name":"second"}`, 201, `"id":2`},
		{"PUT", "/api/v1/items", "", 405, ""},
	} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(step.method, step.path,
			strings.NewReader(step.body)))
		if answer.Code != step.code || !strings.Contains(answer.Body.String(), step.want) {
			t.Errorf("%s %s: expected %d with %q, found %d with %q", step.method, step.path,
				step.code, step.want, answer.Code, answer.Body.String())
		}
	}
}
