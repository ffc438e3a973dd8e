package adc

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // as ADC has it
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"strata/tests/lab/tools/apisix/admin"
)

// sender is the HTTP client for data planes. Upstream's ADC has no timeout: only the controller
// limits the time (exec_adc_timeout, 15 s).
var sender = &http.Client{Timeout: 15 * time.Second}

// Handler returns ADC's server. /sync sends a configuration to each data plane. /validate sends one
// to the first data plane to be validated (apps/cli/src/server).
func Handler() http.Handler {
	mux, all := http.NewServeMux(), caches{known: map[string]bool{}}
	mux.HandleFunc("PUT /sync", func(w http.ResponseWriter, r *http.Request) {
		request, err := read(r.Body)
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]any{"message": err.Error()})
			return
		}
		result, err := all.sync(r.Context(), request)
		if err != nil {
			answer(w, http.StatusInternalServerError, map[string]any{"message": err.Error()})
			return
		}
		answer(w, http.StatusAccepted, result)
	})
	mux.HandleFunc("PUT /validate", func(w http.ResponseWriter, r *http.Request) {
		request, err := read(r.Body)
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]any{"success": false, "message": err.Error()})
			return
		}
		code, text, err := ask(r.Context(), http.MethodPost, request.Task.Opts.Server[0]+admin.Path+
			"/validate", request.Task.Opts.Token, Standalone(request.Task.Config))
		switch {
		case err != nil || code != http.StatusOK && code != http.StatusBadRequest:
			answer(w, http.StatusInternalServerError, map[string]any{"success": false,
				"message": fmt.Sprint(err, " ", text), "errors": []any{}})
		default:
			answer(w, http.StatusOK, map[string]any{"success": code == http.StatusOK,
				"source": "validate", "message": text, "errors": []any{}})
		}
	})
	return mux
}

// read reads a request. It fails unless the request has a server, a key and a cacheKey.
func read(body io.Reader) (Request, error) {
	var request Request
	if err := json.NewDecoder(body).Decode(&request); err != nil {
		return request, err
	}
	opts := request.Task.Opts
	if len(opts.Server) == 0 || opts.Server[0] == "" || opts.Token == "" || opts.CacheKey == "" {
		return request, fmt.Errorf("task.opts: expected server, token and cacheKey, found %d servers", len(opts.Server))
	}
	return request, nil
}

// caches has the data planes whose configuration has been read, by cacheKey.
type caches struct {
	mu    sync.Mutex
	known map[string]bool
}

// fill reads the configuration of each server of a data plane, unless it has been read before. As
// in upstream, it fails if one server does not respond
// (libs/backend-apisix-standalone/src/fetcher.ts, findLatest).
func (c *caches) fill(ctx context.Context, request Request) error {
	opts := request.Task.Opts
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[opts.CacheKey] && !opts.BypassCache {
		return nil
	}
	for _, server := range opts.Server {
		if _, _, err := ask(ctx, http.MethodHead, server+admin.Path, opts.Token, nil); err != nil {
			return err
		}
	}
	c.known[opts.CacheKey] = true
	return nil
}

// sync sends the request's configuration to each data plane, and returns a status for each. It
// sends nothing if fill fails.
func (c *caches) sync(ctx context.Context, request Request) (Result, error) {
	if err := c.fill(ctx, request); err != nil {
		return Result{}, err
	}
	config, opts := Standalone(request.Task.Config), request.Task.Opts
	result := Result{Success: []any{}, Failed: []any{}}
	for _, server := range opts.Server {
		status := EndpointStatus{Server: server}
		code, text, err := ask(ctx, http.MethodPut, server+admin.Path, opts.Token, config)
		switch status.Success = err == nil && code/100 == 2; {
		case status.Success:
			result.SuccessCount++
		case err != nil:
			status.Reason = err.Error()
		default:
			status.Reason = fmt.Sprintf("HTTP %d: %s", code, text)
		}
		result.EndpointStatus = append(result.EndpointStatus, status)
	}
	result.FailedCount = len(opts.Server) - result.SuccessCount
	result.Status = map[bool]string{true: "success", false: "partial_failure"}[result.FailedCount == 0]
	if result.SuccessCount == 0 {
		result.Status = "all_failed"
	}
	return result, nil
}

// ask sends a request to a data plane, and returns the status code and the body.
func ask(ctx context.Context, method, address, key string, body any) (int, string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, "", err
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return 0, "", err
	}
	sum := sha1.Sum(text) //nolint:gosec // as ADC has it
	request.Header.Set(admin.Header, key)
	request.Header.Set(admin.Digest, hex.EncodeToString(sum[:]))
	request.Header.Set("Content-Type", "application/json")
	response, err := sender.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	return response.StatusCode, string(said), err
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}
