package health

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The waits of one look at /ping.
const (
	// pingInterval is the pause between two looks; each costs the server a TLS handshake.
	pingInterval = 120 * time.Millisecond
	// pingRefusedInterval replaces it while nothing listens: then a look is one packet each way.
	pingRefusedInterval = 25 * time.Millisecond
	// pingTimeout bounds one look. K3s answers /ping from memory.
	pingTimeout = 3 * time.Second
)

// pingFacts is what a server's /ping said.
type pingFacts struct {
	Server string `json:"server"`
	// Seen is false before the first look.
	Seen bool `json:"seen"`
	// Status and Body are the answer; Error is why there is none.
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
	Error  string `json:"error,omitempty"`
}

// serverWatch looks at one host's unit and, on a server, at /ping as a joining node does.
type serverWatch struct {
	host   Host
	server string
	key    []byte
}

func newServer(spec Spec, secrets Secrets) (Watch, error) {
	w := &serverWatch{host: spec.Hosts[0], key: secrets.SSHKey}
	if len(w.key) == 0 {
		return nil, errors.New("STRATA_SSH_KEY: empty; the unit is looked at over SSH")
	}
	if w.host.Role == "server" {
		if len(spec.Servers) != 1 {
			return nil, fmt.Errorf("spec: servers: expected the host's own URL, found %d", len(spec.Servers))
		}
		w.server = spec.Servers[0]
	}
	return w, nil
}

// Run implements Watch.
func (w *serverWatch) Run(ctx context.Context, report func([]Verdict)) error {
	var mutex sync.Mutex
	unit, ping := unitFacts{}, pingFacts{Server: w.server}
	update := func(change func()) {
		mutex.Lock()
		defer mutex.Unlock()
		change()
		report(judgeServer(w.host, unit, ping))
	}
	var both sync.WaitGroup
	both.Go(func() {
		observeUnit(ctx, w.host, w.key, false, func(f unitFacts) { update(func() { unit = f }) })
	})
	if w.server != "" {
		both.Go(func() { observePing(ctx, w.server, func(f pingFacts) { update(func() { ping = f }) }) })
	}
	both.Wait()
	return nil
}

// judgeServer judges the unit and, where there is one, /ping.
func judgeServer(host Host, unit unitFacts, ping pingFacts) []Verdict {
	verdicts := []Verdict{judgeUnit(host, unit)}
	if ping.Server != "" {
		verdicts = append(verdicts, judgePing(host, ping))
	}
	return verdicts
}

// judgePing wants the one answer that only a K3s supervisor gives: a port that accepts, or a proxy that answers, is not it.
func judgePing(host Host, f pingFacts) Verdict {
	v := Verdict{Check: "ping " + f.Server, State: Waiting, After: []string{unitCheck(host)}}
	v.Hint = fmt.Sprintf("curl -k %s/ping; on %s: journalctl -u k3s -e; is a firewall between here and the host?", f.Server, host.Name)
	switch {
	case !f.Seen:
		v.Message = "not asked yet"
	case f.Error != "":
		v.Message = "expected pong, no answer: " + f.Error
	case f.Status != http.StatusOK || strings.TrimSpace(f.Body) != "pong":
		v.Message = fmt.Sprintf("expected pong, found HTTP %d", f.Status)
		v.Evidence = []string{fmt.Sprintf("curl -k %s/ping: %s", f.Server, f.Body)}
		if f.Status == http.StatusNotFound || f.Status == http.StatusOK {
			v.Cause = "something else than K3s answers on this port"
		}
	default:
		return Verdict{Check: v.Check, State: Ready, Message: "pong", After: v.After}
	}
	return v
}

// observePing asks /ping again and again until ctx ends, and reports each answer that differs from the last.
func observePing(ctx context.Context, server string, report func(pingFacts)) {
	// No credentials and no CA yet: the answer proves that K3s is up, nothing is trusted to it.
	client := &http.Client{Timeout: pingTimeout, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // See above.
		DisableKeepAlives: true,
	}}
	var last pingFacts
	for ctx.Err() == nil {
		if now := askPing(ctx, client, server); now != last && ctx.Err() == nil {
			last = now
			report(now)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pingPause(last)):
		}
	}
}

// pingPause is the pause after an answer.
func pingPause(f pingFacts) time.Duration {
	if f.Error == refusedText {
		return pingRefusedInterval
	}
	return pingInterval
}

func askPing(ctx context.Context, client *http.Client, server string) pingFacts {
	facts := pingFacts{Server: server, Seen: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"/ping", nil)
	if err != nil {
		facts.Error = err.Error()
		return facts
	}
	response, err := client.Do(request)
	if err != nil {
		facts.Error = dialTrouble(err)
		return facts
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 200))
	_ = response.Body.Close()
	if err != nil {
		facts.Error = dialTrouble(err)
	}
	facts.Status, facts.Body = response.StatusCode, string(body)
	return facts
}

// refusedText is how dialTrouble words a connection to a port where nothing listens.
const refusedText = "connection refused"

// dialTrouble words a failed request without what differs from one attempt to the next, such as local ports.
func dialTrouble(err error) string {
	text := err.Error()
	for _, known := range []string{
		refusedText, "no route to host", "network is unreachable", "connection reset", "no such host", "EOF",
		"tls: ", "server gave HTTP response to HTTPS client",
	} {
		if strings.Contains(text, known) {
			return strings.TrimSuffix(known, ": ")
		}
	}
	if strings.Contains(text, "timeout") || strings.Contains(text, "deadline exceeded") {
		return "timeout; the host is down, or a firewall drops the connection"
	}
	return oneLine(text)
}
