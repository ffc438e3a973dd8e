package vm

import (
	"context"
	"io"
	"sync"
)

// SurveyFor looks at all that the machines of a stack need of their hypervisor, and changes nothing. The Specs differ in their nodes only.
func SurveyFor(ctx context.Context, host Host, all Specs) Survey {
	var on surveyor = newDriver(&fewAtOnce{Host: host, slots: make(chan struct{}, sessions)}, all[0])
	var s Survey
	var parts sync.WaitGroup
	parts.Go(func() { s.Node = on.node(ctx) })
	parts.Go(func() { s.Storages = on.storages(ctx) })
	parts.Go(func() { s.Network = on.network(ctx) })
	parts.Go(func() { s.TemplateGiB, s.Template = on.template(ctx) })
	parts.Go(func() { s.Machines = on.machines(ctx, all) })
	parts.Wait()
	return s
}

// sessions bounds the commands at once: OpenSSH takes 10 sessions on a connection (MaxSessions), of which others may have some.
const sessions = 6

// fewAtOnce runs no more commands at once than it has slots.
type fewAtOnce struct {
	Host
	slots chan struct{}
}

// Run implements Host.
func (h *fewAtOnce) Run(ctx context.Context, script string, stdin io.Reader, size int64) (string, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return h.Host.Run(ctx, script, stdin, size)
}
