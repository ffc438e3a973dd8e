package lifecycle

import (
	"context"
	"io"
	"sync"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/drivers"
)

// Survey returns the facts about a hypervisor that decide whether it can run a stack's machines. It
// changes nothing. The Specs differ only in their nodes.
func Survey(ctx context.Context, host hypervisor.Host, all hypervisor.Specs) hypervisor.Survey {
	var on driver.Surveyor = drivers.New(&fewAtOnce{Host: host,
		slots: make(chan struct{}, sessions)}, all[0])
	var s hypervisor.Survey
	var parts sync.WaitGroup
	parts.Go(func() { s.Node = on.Node(ctx) })
	parts.Go(func() { s.Storages = on.Storages(ctx) })
	parts.Go(func() { s.Network = on.Network(ctx) })
	parts.Go(func() { s.TemplateGiB, s.Template = on.Template(ctx) })
	parts.Go(func() { s.Machines = on.Machines(ctx, all) })
	parts.Wait()
	return s
}

// sessions bounds the number of concurrent commands. OpenSSH allows 10 sessions per connection
// (MaxSessions), and other commands on the connection may use some of them.
const sessions = 6

// fewAtOnce is a Host that runs at most as many commands at once as it has slots.
type fewAtOnce struct {
	hypervisor.Host
	slots chan struct{}
}

// Run implements Host.
func (h *fewAtOnce) Run(
	ctx context.Context, script string, stdin io.Reader, size int64,
) (string, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return h.Host.Run(ctx, script, stdin, size)
}
