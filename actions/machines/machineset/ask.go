package machineset

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"strata/internal/kube/apiserver"
)

// askLimit bounds the request to one server. All servers are queried in parallel; a server under
// load needs more than a few seconds.
const askLimit = 30 * time.Second

// Ask returns an error if a server of the plan must not be replaced now, because too few of the
// other servers answer /ping, which K3s serves without a login.
func (p Plan) Ask(ctx context.Context) error {
	return p.ask(ctx, ping)
}

func (p Plan) ask(ctx context.Context, ping func(context.Context, string) error) error {
	silent := make([]error, len(p.Staying))
	var all sync.WaitGroup
	for i, machine := range p.Staying {
		all.Go(func() { silent[i] = ping(ctx, machine.Address) })
	}
	all.Wait()
	var why []string
	for i, err := range silent {
		if err != nil {
			why = append(why, fmt.Sprintf("%s: %v", p.Staying[i].Name, err))
		}
	}
	if len(p.Staying)-len(why) < p.Majority {
		return fmt.Errorf("of the servers that stay, %d must run K3s before another one is made "+
			"anew, and %d do: %s; bring them back first (strata health says "+
			"what they lack)", p.Majority, len(p.Staying)-len(why), strings.Join(why, "; "))
	}
	return nil
}

// ping requests /ping from one server. It does not verify the server's certificate: an impostor
// could at most allow the replacement of a machine, to which the user has consented.
func ping(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, apiserver.URL(address)+"/ping",
		nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} //nolint:gosec // the doc comment of ping has the reason
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if text := strings.TrimSpace(string(body)); text != "pong" {
		return fmt.Errorf("/ping: expected pong, found %q (%s)", text, response.Status)
	}
	return nil
}
