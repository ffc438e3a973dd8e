package supervisor

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/tests/lab/k3s/internal/token"
)

const clientTimeout = 10 * time.Second // k3s-io/k3s pkg/clientaccess

// Client sends requests to a supervisor, with a join password.
type Client struct {
	// BaseURL is https://host:port without a path.
	BaseURL string
	// CA is the cluster's CA bundle, as returned by /cacerts.
	CA []byte

	user, password string
	http           *http.Client
}

// StatusError is a response with a status other than 200. Its text is the message of the Kubernetes
// Status in the body, such as "not authorized". Without one, it is "URL: 401 Unauthorized"
// (k3s-io/k3s pkg/clientaccess/token.go, readBody).
type StatusError struct {
	URL     string
	Status  string
	Code    int
	Message string
}

func (e *StatusError) Error() string {
	if e.Message != "" {
		return e.Message
	}
	return e.URL + ": " + e.Status
}

// statusError returns the error for a response.
func statusError(url string, resp *http.Response) *StatusError {
	e := &StatusError{URL: url, Status: resp.Status, Code: resp.StatusCode}
	var status metav1.Status
	body, err := io.ReadAll(resp.Body)
	if err == nil && json.Unmarshal(body, &status) == nil && status.Kind == "Status" {
		e.Message = status.Message
	}
	return e
}

// Connect downloads the CA bundle, checks it against the token's hash, and returns a client for a
// user ("server" or "node"). It does not check the password; the first request does.
func Connect(ctx context.Context, url, joinToken, user string) (*Client, error) {
	t, err := token.Parse(joinToken)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(url, "https://") {
		return nil, fmt.Errorf("only https:// URLs are supported, invalid scheme: %s", url)
	}
	c := &Client{BaseURL: strings.TrimRight(url, "/"), user: user, password: t.Password}
	c.http = httpClient(&tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the hash in the token is checked below
	ca, err := c.do(ctx, http.MethodGet, "/cacerts", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("failed to get CA certs: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	c.CA, c.http = ca, httpClient(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})
	if _, err := c.do(ctx, http.MethodGet, "/cacerts", nil, nil); err != nil {
		return nil, fmt.Errorf("CA cert validation failed: %w", err)
	}
	return c, t.CheckCA(ca)
}

func httpClient(config *tls.Config) *http.Client {
	return &http.Client{Timeout: clientTimeout, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}}
}

// Get sends a GET request with the join password.
func (c *Client) Get(ctx context.Context, path string) ([]byte, error) {
	return c.do(ctx, http.MethodGet, path, nil, nil)
}

// Post sends a POST request with the join password and additional headers. The body is usually a
// certificate signing request.
func (c *Client) Post(ctx context.Context, path string, body []byte, headers http.Header) ([]byte, error) {
	return c.do(ctx, http.MethodPost, path, body, headers)
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, headers http.Header) ([]byte, error) {
	url := c.BaseURL + path
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if headers != nil {
		req.Header = headers
	}
	if c.CA != nil && path != "/cacerts" {
		req.SetBasicAuth(c.user, c.password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusError(url, resp)
	}
	return io.ReadAll(resp.Body)
}
