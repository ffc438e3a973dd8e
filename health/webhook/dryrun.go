package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/health/kube"
	"strata/health/observe"
)

const (
	// probeInterval is the pause between two attempts through one API server. It ends early when an
	// object changes or a host reaches the webhook.
	probeInterval = 100 * time.Millisecond
	// confirmInterval is the pause before another pass that the gate needs. Of several Pods, only
	// one may work, so one pass is not enough. A longer pause would not help, because the API
	// server would still reuse its connection to the same Pod.
	confirmInterval = 20 * time.Millisecond
	// probeTimeout limits one dry run. It is longer than the API server's own timeout for a webhook
	// (timeoutSeconds, 10 s by default), because only the API server's error has the address that
	// did not answer.
	probeTimeout = 12 * time.Second
	// probePatience is the age from which a dry run is cancelled when the objects change. A younger
	// dry run may be about to finish, and frequent changes must not cancel all of them.
	probePatience = 500 * time.Millisecond
)

// probe repeats the dry runs through one API server.
type probe struct {
	server *kube.APIServer
	spec   Spec
	stable *observe.Stable
	now    observe.Clock
	wake   chan struct{}

	mu      sync.Mutex
	facts   probeFacts
	epoch   int
	started time.Time
	cancel  context.CancelFunc
	kind    *kube.ResourceKind
}

func newProbe(server *kube.APIServer, spec Spec, now observe.Clock) *probe {
	facts := probeFacts{Server: server.Name,
		Accept: answer{Kind: answerOther, Text: "not asked yet"}}
	return &probe{server: server, spec: spec, stable: observe.NewStable(now), now: now,
		wake: make(chan struct{}, 1), facts: facts, cancel: func() {}}
}

// kick requests the next dry run now, and cancels one that is older than probePatience.
func (p *probe) kick() {
	p.mu.Lock()
	if p.now().Sub(p.started) > probePatience {
		p.cancel()
	}
	p.mu.Unlock()
	observe.Signal(p.wake)
}

// retry calls kick if the probe fails. It does nothing if the probe passes, because additional
// passes would shorten the time that consecutiveUnproved requires.
func (p *probe) retry() {
	p.mu.Lock()
	failing := p.facts.Passes == 0
	p.mu.Unlock()
	if failing {
		p.kick()
	}
}

// pause returns the pause before the next attempt.
func (p *probe) pause() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.spec.Deny) > 0 && p.facts.Passes > 0 && p.facts.Passes < passesNeeded(p.spec) {
		return confirmInterval
	}
	return probeInterval
}

// latest returns the newest result, with 0 Passes if the result was for a previous webhook
// configuration.
func (p *probe) latest(epoch int) probeFacts {
	p.mu.Lock()
	defer p.mu.Unlock()
	facts := p.facts
	if p.epoch != epoch {
		facts.Passes = 0
	}
	return facts
}

// attempt makes one pair of dry runs and stores the result. A success is a pass only if counts is
// true: without the configuration, an API server accepts any object. attempt returns false if it
// was cancelled.
func (p *probe) attempt(parent context.Context, epoch int, counts bool) bool {
	ctx, cancel := context.WithTimeout(parent, probeTimeout)
	defer cancel()
	p.mu.Lock()
	p.started, p.cancel = p.now(), cancel
	p.mu.Unlock()
	facts := p.askBoth(ctx)
	if parent.Err() != nil || ctx.Err() == context.Canceled {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if probePassed(p.spec, facts) && counts {
		facts.Passes = 1
		if p.epoch == epoch {
			facts.Passes += p.facts.Passes
		}
		facts.Passes = min(facts.Passes, passesNeeded(p.spec))
	}
	facts.Seconds = p.stable.Seconds("answers", string(facts.Accept.Kind+facts.Deny.Kind))
	p.facts, p.epoch = facts, epoch
	return true
}

// askBoth makes the dry runs of Accept and Deny. It returns the answer to Deny only if the answer
// to Accept is as expected. If the previous Accept was accepted, it sends both at the same time.
func (p *probe) askBoth(ctx context.Context) probeFacts {
	facts := probeFacts{Server: p.server.Name}
	var beside sync.WaitGroup
	defer beside.Wait()
	denyCtx, needless := context.WithCancel(ctx)
	defer needless()
	deny := sync.OnceValue(func() answer {
		a, _ := p.ask(denyCtx, p.spec.Deny)
		return a
	})
	if p.acceptedBefore() && len(p.spec.Deny) > 0 {
		beside.Go(func() { deny() })
	}
	var returned map[string]any
	facts.Accept, returned = p.ask(ctx, p.spec.Accept)
	if facts.Accept.Kind != answerAccepted {
		return facts
	}
	if facts.Unfilled = findUnfilled(returned, p.spec.AcceptFills); len(facts.Unfilled) == 0 &&
		len(p.spec.Deny) > 0 {
		facts.Deny = deny()
	}
	return facts
}

// acceptedBefore reports whether the last attempt's Accept was accepted.
func (p *probe) acceptedBefore() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.facts.Accept.Kind == answerAccepted
}

// findUnfilled returns the entries of paths (AcceptFills) whose value in the object is missing,
// empty, or not the required one.
func findUnfilled(object map[string]any, paths []string) []string {
	var empty []string
	for _, entry := range paths {
		path, want, exact := strings.Cut(entry, "=")
		value, found, err := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...)
		text := fmt.Sprint(value)
		if err != nil || !found || slices.Contains([]string{"", "<nil>", "[]", "map[]"}, text) ||
			exact && text != want {
			empty = append(empty, entry)
		}
	}
	return empty
}

// ask makes one dry run. It also returns the object as the API server would have stored it; nil if
// it was refused.
func (p *probe) ask(ctx context.Context, object map[string]any) (answer, map[string]any) {
	p.mu.Lock()
	kind := p.kind
	p.mu.Unlock()
	if kind == nil {
		var err error
		if kind, err = p.server.KindOf(ctx, object); err != nil {
			return answerOf(err), nil
		}
	}
	returned, err := dryRun(ctx, p.server, *kind, object)
	a := answerOf(err)
	if a.Kind == answerNotServed {
		// The CRD may have been replaced: find the kind again.
		kind = nil
	}
	p.mu.Lock()
	p.kind = kind
	p.mu.Unlock()
	return a, returned
}

// plural returns the resource's plural name; empty until the API server serves the kind.
func (p *probe) plural() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kind == nil {
		return ""
	}
	return p.kind.Resource.Resource
}
