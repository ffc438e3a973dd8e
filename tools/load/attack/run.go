package attack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Options describe the requests.
type Options struct {
	// URL is the target, http or https.
	URL string
	// ConnectTo is the host:port to connect to instead of the URL's host, so that a test needs no
	// DNS. Optional.
	ConnectTo string
	// CA is a PEM bundle that must verify the server's certificate. Default: this machine's CAs.
	CA []byte
	// Rate is the number of requests a second.
	Rate int
	// Duration ends the run; if 0, only the context does.
	Duration time.Duration
	// Timeout is the time after which a request without an answer is lost.
	Timeout time.Duration
	// Body is the body of each request.
	Body []byte
	// Header is the name of an answer's header whose values are counted, for example X-Version.
	// Optional.
	Header string
	// NewConnections makes a new connection for each request. Default: connections are reused.
	NewConnections bool
}

// startPhase is the phase before the first named one.
const startPhase = "start"

// maxWorkers bounds the requests that are open at once. If more would be needed to keep the rate,
// Run counts them as unsent.
const maxWorkers = 2000

// Run sends requests until the duration is over or the context ends, and counts them. Each name on
// phases begins a phase. A request belongs to the phase in which it was sent.
func Run(ctx context.Context, opts Options, phases <-chan string) (*Report, error) {
	attacker, err := attackerFor(opts)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	timeline := newTimeline(began)
	ctx, stop := context.WithCancel(ctx)
	var listening sync.WaitGroup
	listening.Go(func() {
		for {
			select {
			case name, open := <-phases:
				if !open {
					return
				}
				timeline.begin(name)
			case <-ctx.Done():
				return
			}
		}
	})
	ended := make(chan time.Time, 1)
	go func() {
		<-ctx.Done()
		ended <- time.Now()
		attacker.Stop()
	}()
	for result := range attacker.Attack(opts.target(), vegeta.Rate{Freq: opts.Rate, Per: time.Second},
		opts.Duration, "strata") {
		timeline.add(result, opts.Header)
	}
	stop()
	listening.Wait()
	lasted := (<-ended).Sub(began)
	if opts.Duration > 0 {
		lasted = min(lasted, opts.Duration) // requests that are open at the end still get their answers
	}
	return timeline.report(int(lasted.Seconds()*float64(opts.Rate)), opts), nil
}

func attackerFor(opts Options) (*vegeta.Attacker, error) {
	target, err := url.Parse(opts.URL)
	switch {
	case err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https":
		return nil, fmt.Errorf("%q is not an http or https URL", opts.URL)
	case opts.Rate < 1:
		return nil, fmt.Errorf("rate %d: expected one request a second or more", opts.Rate)
	case opts.Timeout <= 0:
		return nil, errors.New("timeout: expected a positive one; a request that never ends would never be lost")
	}
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(opts.CA) > 0 {
		settings.RootCAs = x509.NewCertPool()
		if !settings.RootCAs.AppendCertsFromPEM(opts.CA) {
			return nil, errors.New("CA: has no certificate in PEM")
		}
	}
	// The requests use HTTP/1.1. Over HTTP/2 all requests share one connection, and a proxy's
	// replacement shows as one event.
	all := []func(*vegeta.Attacker){
		vegeta.Timeout(opts.Timeout), vegeta.TLSConfig(settings), vegeta.HTTP2(false),
		vegeta.KeepAlive(!opts.NewConnections),
		vegeta.Redirects(vegeta.NoFollow), vegeta.MaxWorkers(maxWorkers),
		vegeta.Connections(maxWorkers), vegeta.MaxBody(4096),
	}
	if opts.ConnectTo != "" {
		settings.ServerName = target.Hostname()
	}
	return vegeta.NewAttacker(all...), nil
}

// target returns the target of each request. If another address is dialed, the host is in a header,
// because vegeta's own ConnectTo changes data that its dialers share without a lock (v12.12,
// lib/attack.go).
func (o Options) target() vegeta.Targeter {
	target := vegeta.Target{
		Method: http.MethodPost, URL: o.URL, Body: o.Body,
		Header: http.Header{"Content-Type": {"application/octet-stream"}},
	}
	if named, err := url.Parse(o.URL); err == nil && o.ConnectTo != "" {
		target.Header.Set("Host", named.Host)
		named.Host = o.ConnectTo
		target.URL = named.String()
	}
	return vegeta.NewStaticTargeter(target)
}
