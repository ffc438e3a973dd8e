package kube

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// APIServerFacts describes the answer to one authenticated GET /readyz?verbose.
type APIServerFacts struct {
	Server string `json:"server"`
	// Code is the HTTP status; zero when there was no answer.
	Code int `json:"code,omitempty"`
	// Passed is true if the answer's last line is ReadyzPassed.
	Passed bool `json:"passed,omitempty"`
	// Failing are the lines of the readyz checks that failed.
	Failing []string `json:"failing,omitempty"`
	// NotStarted is true when K3s answers instead of its API server, which it has not started yet.
	NotStarted bool `json:"notStarted,omitempty"`
	APIFault
}

// ReadyzPassed is the last line of a verbose /readyz on which every check passed.
const ReadyzPassed = "readyz check passed"

// notStarted is K3s's answer, with code 503, until its API server runs (ErrAPINotReady in its
// pkg/util/apierrors.go). The API server starts after etcd.
const notStarted = "apiserver not ready"

// readyzLimit limits an answer, in bytes. /readyz has some 60 lines of less than 100 bytes.
const readyzLimit = 64 << 10

// Readyz gets /readyz from one API server with the kubeconfig's credentials. Without credentials,
// K3s would always answer 401, because it allows no anonymous requests.
func (s *APIServer) Readyz(ctx context.Context) APIServerFacts {
	facts := APIServerFacts{Server: s.Name}
	limit := RequestTimeout
	if s.Config.ExecProvider != nil { // the request waits for the plugin, which may take seconds
		limit <<= maxSlow
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	code, body, err := s.GetRaw(ctx, "/readyz?verbose")
	if err != nil {
		facts.Fault = s.Fault(err)
		return facts
	}
	facts.Code = code
	facts.NotStarted = code == http.StatusServiceUnavailable && strings.Contains(body, notStarted)
	facts.read(body)
	return facts
}

// read extracts the failing checks and the closing line from a verbose answer.
func (f *APIServerFacts) read(body string) {
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[-]") {
			f.Failing = append(f.Failing, line)
		}
		f.Passed = line == ReadyzPassed
	}
}

// GetRaw returns the status code and body of a path that is not an object. 401 and 403 are errors,
// because they are about the credentials.
func (s *APIServer) GetRaw(ctx context.Context, path string) (int, string, error) {
	return s.GetAs(ctx, path, "", readyzLimit)
}

// GetAs is GetRaw with an Accept header (none if accept is empty). It reads at most limit bytes of
// the body.
func (s *APIServer) GetAs(
	ctx context.Context, path, accept string, limit int64,
) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return 0, "", fmt.Errorf("request %s: %w", path, err)
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, "", err //nolint:wrapcheck // net/http says method and URL already.
	}
	defer response.Body.Close() //nolint:errcheck // read only.
	body, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	switch response.StatusCode {
	case http.StatusUnauthorized:
		return 0, "", apierrors.NewUnauthorized("GET " + path + ": " +
			strings.TrimSpace(string(body)))
	case http.StatusForbidden:
		return 0, "", apierrors.NewGenericServerResponse(http.StatusForbidden, http.MethodGet,
			schema.GroupResource{}, path, strings.TrimSpace(string(body)), 0, false)
	}
	return response.StatusCode, string(body), nil
}
