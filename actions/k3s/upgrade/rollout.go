package upgrade

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"

	"strata/actions/verb"
	"strata/health"
	"strata/internal/k3shost"
)

// Upgrade upgrades the nodes that do not run the plan's version yet, and prints the version. The
// SSH private key is in STRATA_SSH_KEY, the kubeconfig in STRATA_KUBECONFIG.
var Upgrade = verb.New(func(ctx context.Context, call verb.Call, plan Plan) error {
	client, err := call.Client(plan.Servers...)
	if err != nil {
		return err
	}
	rollout := Rollout{Plan: plan, Client: client, Log: call.Stderr, Hosts: &SSH{
		SHA256: plan.SHA256, Owner: plan.Owner, Secrets: health.SecretsFrom(os.Getenv),
		Return: plan.Return.Duration, Log: call.Stderr,
	}}
	if err := rollout.Run(ctx); err != nil {
		return fmt.Errorf("layer k3s: %w", err)
	}
	return call.Print(plan.Version)
})

// Hosts runs the steps of a rollout on hosts.
type Hosts interface {
	// Observe returns the state of K3s on a host.
	Observe(ctx context.Context, host health.Host) (Host, error)
	// Restart starts the wanted K3s in place of the running one. It returns the host's time of the
	// restart; only later kubelet reports count.
	Restart(ctx context.Context, host health.Host) (time.Time, error)
	// Serves returns an error if the API server at url is not ready.
	Serves(ctx context.Context, url string) error
	// Works waits until K3s works on the host and, for a server, the API server at url. The error
	// says why K3s does not work.
	Works(ctx context.Context, host health.Host, url string) error
}

// Rollout carries out a Plan.
type Rollout struct {
	Plan
	// Client connects to any API server that answers.
	Client kubernetes.Interface
	// Hosts runs the steps on the hosts.
	Hosts Hosts
	// Log receives a line for each step.
	Log io.Writer

	mutex sync.Mutex
	// ahead is the number of nodes whose upgrade has not begun.
	ahead int
}

// Run upgrades the nodes that do not run the wanted version, and stops at the first failure.
func (r *Rollout) Run(ctx context.Context) error {
	hosts, err := r.observe(ctx)
	if err != nil {
		return err
	}
	nodes, err := r.nodes(ctx)
	if err != nil {
		return err
	}
	servers, agents, err := r.tasks(hosts, nodes)
	if err != nil {
		return fmt.Errorf("refused, nothing was changed: %w", err)
	}
	if len(servers)+len(agents) == 0 {
		r.say("nothing to do: every node runs %s", r.Version)
		return nil
	}
	started := time.Now()
	r.ahead = len(servers) + len(agents)
	for _, server := range servers {
		if err := r.upgrade(ctx, server); err != nil {
			return r.rolloutError(server, err)
		}
	}
	if err := r.lanes(ctx, agents); err != nil {
		return err
	}
	r.say("%d nodes run %s, %s", len(servers)+len(agents), r.Version, formatElapsed(started))
	return nil
}

// observe returns the state of K3s on every host, read in parallel. It fails if a host does not
// answer, because the rollout would fail there later.
func (r *Rollout) observe(ctx context.Context) (map[string]Host, error) {
	found := map[string]Host{}
	err := k3shost.ForEach(r.Plan.Nodes, func(_ int, host health.Host) error {
		state, err := r.Hosts.Observe(ctx, host)
		if err != nil {
			return fmt.Errorf("observe %s: %w", host.Name, err)
		}
		r.mutex.Lock()
		defer r.mutex.Unlock()
		found[host.Name] = state
		return nil
	})
	return found, err
}

// lanes upgrades agents, at most Concurrency at a time. After a failure it starts no further agent.
func (r *Rollout) lanes(ctx context.Context, agents []task) error {
	failures := make([]error, len(agents))
	var failed atomic.Bool
	var lanes errgroup.Group
	lanes.SetLimit(r.Concurrency)
	for i, agent := range agents {
		lanes.Go(func() error {
			if failed.Load() {
				return nil
			}
			if err := r.upgrade(ctx, agent); err != nil {
				failures[i] = r.rolloutError(agent, err)
				failed.Store(true)
			}
			return nil
		})
	}
	return errors.Join(append(failures, lanes.Wait())...)
}

// rolloutError returns an error with the node that failed and the number of nodes that have not
// begun.
func (r *Rollout) rolloutError(failed task, err error) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return fmt.Errorf(
		"upgrade of %s from %s to %s: %w; the rollout stopped here, %d nodes are not begun and "+
			"all others serve; after the fix, pulumi up goes on with this node",
		failed.host.Name, failed.node.Status.NodeInfo.KubeletVersion, r.Version, err, r.ahead)
}

func (r *Rollout) say(format string, args ...any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	_, _ = fmt.Fprintf(r.Log, "upgrade: "+format+"\n", args...)
}

func formatElapsed(start time.Time) string {
	return time.Since(start).Round(
		100 * time.Millisecond).String()
}
