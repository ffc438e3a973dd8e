package artifacts

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// answersWithin bounds the wait for a host's first answer. Without this limit, a firewall that
// drops packets would delay a run for minutes.
const answersWithin = 8 * time.Second

// hosts records for each host of a download whether it answers, so that each host is checked once.
type hosts struct {
	mutex sync.Mutex
	asked map[string]func() error
}

// answer returns an error if the host of a download does not answer. It checks each host once. A
// nil receiver skips the check.
func (h *hosts) answer(ctx context.Context, from *source, upstream string) error {
	if h == nil || from.fault != nil {
		return from.fault
	}
	at, err := url.Parse(from.address(upstream))
	if err != nil {
		return err
	}
	h.mutex.Lock()
	if h.asked == nil {
		h.asked = map[string]func() error{}
	}
	ask, known := h.asked[at.Host]
	if !known {
		ask = sync.OnceValue(func() error { return heard(ctx, from, upstream, at.Host) })
		h.asked[at.Host] = ask
	}
	h.mutex.Unlock()
	return ask()
}

// heard sends a HEAD request for a download. It returns an error if the host sends no response; a
// response with any status is no error.
func heard(ctx context.Context, from *source, upstream, host string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answersWithin,
		fmt.Errorf("no answer within %s", answersWithin))
	defer cancel()
	answer, err := from.ask(ctx, http.MethodHead, upstream, nil)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return &unavailableError{url: "from " + host, cause: err, advice: from.advice()}
	}
	return answer.Body.Close()
}
