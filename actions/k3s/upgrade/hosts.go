package upgrade

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/api"
	"strata/health/kinds"
	"strata/health/server"
	"strata/internal/k3shost"
	"strata/internal/kube/apiserver"
)

//go:embed observe.sh
var observeItself string

var observeScript = k3shost.CertificatesFunction + observeItself

//go:embed restart.sh
var restartScript string

// These are the timeouts of requests to a host.
const (
	observeLimit = 3 * time.Minute // longer than the script waits for a running install
	// restartLimit allows for a copy of the binary on a slow disk.
	restartLimit = 5 * time.Minute
	// serveLimit bounds one request to a server that is not being upgraded.
	serveLimit = 10 * time.Second
)

// SSH implements Hosts over SSH, and runs the same gates as the program.
type SSH struct {
	// SHA256 is the checksum of the wanted K3s binary.
	SHA256 string
	// Owner owns the hosts; nil if the state names no owner.
	Owner *k3shost.Owner
	// Secrets are the SSH key and the kubeconfig.
	Secrets health.Secrets
	// Return bounds each gate.
	Return time.Duration
	// Log receives the progress of gates.
	Log io.Writer
}

// Observe implements Hosts.
func (s *SSH) Observe(ctx context.Context, host health.Host) (Host, error) {
	output, err := s.run(ctx, host, observeScript, observeLimit)
	if err != nil {
		return "", err
	}
	state, first, err := parseObservation(output)
	if err != nil {
		return "", fmt.Errorf("on %s: %w", host.Name, err)
	}
	if state == HostEnding {
		_, _ = fmt.Fprintf(s.Log, "upgrade: %s: %s of K3s's own ends at %s; a restart renews it\n",
			host.Name, first.File, first.Ends.Format(time.RFC3339))
	}
	return state, nil
}

// parseObservation returns the state of K3s in a host's report, and the certificate that expires
// first. It returns HostEnding if that certificate is due for renewal by the host's clock: this
// machine's clock may be wrong.
func parseObservation(output string) (Host, k3shost.Certificate, error) {
	word, rest, _ := strings.Cut(output, "\n")
	var lines []string
	var now int64
	for line := range strings.Lines(rest) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), "="); key {
		case "certificate":
			lines = append(lines, value)
		case "time":
			now, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	first, some := k3shost.First(lines)
	switch state := Host(word); state {
	case HostCurrent:
		if now == 0 {
			return "", first, errors.New("expected the host's time, found none")
		}
		if some && first.Ends.Sub(time.Unix(now, 0)) < k3shost.RenewWithin {
			return HostEnding, first, nil
		}
		return state, first, nil
	case HostWithout, HostPending:
		return state, first, nil
	default:
		return "", first, fmt.Errorf("expected what runs there, found %q", word)
	}
}

// Restart implements Hosts.
func (s *SSH) Restart(ctx context.Context, host health.Host) (time.Time, error) {
	output, err := s.run(ctx, host, restartScript, restartLimit)
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(output, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("time on %s: %w", host.Name, err)
	}
	return time.Unix(seconds, 0), nil
}

func (s *SSH) run(
	ctx context.Context, host health.Host, script string, limit time.Duration,
) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return k3shost.Run(ctx, host.Target, s.Secrets.SSHKey,
		k3shost.Script(host.Role, s.SHA256, s.Owner.WithNode(host.Name), script, nil))
}

// Serves implements Hosts.
func (s *SSH) Serves(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, serveLimit)
	defer cancel()
	client, err := apiserver.Access{Kubeconfig: s.Secrets.Kubeconfig,
		Servers: []string{url}}.Client()
	if err != nil {
		return err
	}
	_, err = client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err
}

// Works implements Hosts. It runs the gate of the systemd unit and, on a server, the gate of /ping
// and the authenticated /readyz.
func (s *SSH) Works(ctx context.Context, host health.Host, url string) error {
	spec := health.Spec{
		Body: server.Spec{}, Gate: "upgrade-" + host.Name, Layer: "k3s", Hosts: []health.Host{host},
		Timeout: metav1.Duration{Duration: s.Return}, TimeoutKey: "strata:timeouts.upgrade",
	}
	if url == "" {
		return s.gate(ctx, spec)
	}
	spec.Servers = []string{url}
	if err := s.gate(ctx, spec); err != nil {
		return err
	}
	spec.Body = api.Spec{}
	return s.gate(ctx, spec)
}

// gate runs a gate. The error has only the check that failed; the log has the whole report.
func (s *SSH) gate(ctx context.Context, spec health.Spec) error {
	result, err := kinds.Run(ctx, spec, s.Secrets, s.Log)
	if err != nil || result.Passes() {
		return err
	}
	for _, check := range result.Checks {
		if check.State == health.Stuck || check.State == health.Waiting && len(check.After) == 0 {
			return fmt.Errorf("%s: %s; %s", check.Check, check.Message, check.Hint)
		}
	}
	return errors.New(string(result.Ending) + ", see above")
}
