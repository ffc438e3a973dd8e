package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"strata/health"
	"strata/health/host"
	"strata/health/observe"
	"strata/internal/tunnel"
)

// The waits of one observation of /ping.
const (
	// pingInterval is the pause between two observations; each costs the server a TLS handshake.
	pingInterval = 120 * time.Millisecond
	// pingRefusedInterval replaces it while nothing listens: then an observation is one packet each way.
	pingRefusedInterval = 25 * time.Millisecond
	// pingTimeout bounds one observation. K3s answers /ping from memory.
	pingTimeout = 3 * time.Second
)

// pingFacts is what a server's /ping answered.
type pingFacts struct {
	Server string `json:"server"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	// Status and Body are the answer; Error is why there is none.
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
	Error  string `json:"error,omitempty"`
	// Way is the tunnel's part in that.
	Way observe.Way `json:"way,omitzero"`
}

// serverWatch observes one host's unit and, on a server, /ping as a joining node asks it.
type serverWatch struct {
	host   health.Host
	server string
	key    []byte
}

// New is the constructor of kind server. Its error says what the Spec or the Secrets lack.
func New(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &serverWatch{host: spec.Hosts[0], key: secrets.SSHKey}
	if len(w.key) == 0 && !w.host.Agent {
		return nil, errors.New("STRATA_SSH_KEY: empty; the unit is observed over SSH")
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
func (w *serverWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	var mutex sync.Mutex
	unit, ping := host.UnitFacts{}, pingFacts{Server: w.server}
	update := func(change func()) {
		mutex.Lock()
		defer mutex.Unlock()
		change()
		report(judgeServer(w.host, unit, ping))
	}
	var both sync.WaitGroup
	both.Go(func() {
		host.ObserveUnit(ctx, w.host, w.key, false, func(f host.UnitFacts) { update(func() { unit = f }) })
	})
	if w.server != "" {
		dial := tunnel.Dialer(tunnel.Of(w.host.Target), net.Dialer{})
		both.Go(func() { observePing(ctx, w.server, dial, func(f pingFacts) { update(func() { ping = f }) }) })
	}
	both.Wait()
	return nil
}

// judgeServer judges the unit and, where there is one, /ping.
func judgeServer(h health.Host, unit host.UnitFacts, ping pingFacts) []health.Verdict {
	verdicts := []health.Verdict{host.JudgeUnit(h, unit)}
	if ping.Server != "" {
		verdicts = append(verdicts, judgePing(h, ping))
	}
	return verdicts
}

// judgePing wants the one answer that only a K3s supervisor gives: a port that accepts, or a proxy that answers, is not it.
func judgePing(h health.Host, f pingFacts) health.Verdict {
	v := health.Verdict{Check: "ping " + f.Server, State: health.Waiting, After: []string{host.UnitCheck(h)}}
	v.Hint = fmt.Sprintf("curl -k %s/ping; on %s: journalctl -u k3s -e; is a firewall between here and the host?", f.Server, h.Name)
	switch {
	case !f.Seen:
		v.Message = "not asked yet"
	case f.Error != "":
		v.Message = "expected pong, no answer: " + f.Error
		if f.Way.Down() {
			v.Cause, v.Hint = f.Way.Cause, f.Way.Hint
		}
	case f.Status != http.StatusOK || strings.TrimSpace(f.Body) != "pong":
		v.Message = fmt.Sprintf("expected pong, found HTTP %d", f.Status)
		v.Evidence = []string{fmt.Sprintf("curl -k %s/ping: %s", f.Server, f.Body)}
		if f.Status == http.StatusNotFound || f.Status == http.StatusOK {
			v.Cause = "something else than K3s answers on this port"
		}
	default:
		return health.Verdict{Check: v.Check, State: health.Ready, Message: "pong", After: v.After}
	}
	return v
}

// observePing asks /ping again and again until ctx ends, and reports each answer that differs from the last.
func observePing(ctx context.Context, server string, dial tunnel.DialFunc, report func(pingFacts)) {
	// No credentials and no CA yet: the answer proves that K3s is up, nothing is trusted to it.
	client := &http.Client{Timeout: pingTimeout, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // See above.
		DisableKeepAlives: true, DialContext: dial,
	}}
	var last pingFacts
	for ctx.Err() == nil {
		if now := askPing(ctx, client, server); now != last && ctx.Err() == nil {
			last = now
			report(now)
		}
		observe.Pause(ctx, pingPause(last))
	}
}

// pingPause is the pause after an answer.
func pingPause(f pingFacts) time.Duration {
	if f.Error == observe.RefusedText {
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
		facts.Error, facts.Way = observe.DialTrouble(err), observe.WayOf(err)
		return facts
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, 200))
	_ = response.Body.Close()
	if err != nil {
		facts.Error = observe.DialTrouble(err)
	}
	facts.Status, facts.Body = response.StatusCode, string(body)
	return facts
}
