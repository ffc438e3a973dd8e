package members

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"strata/internal/ssh/remote"
)

// These limits bound the check whether a cluster exists.
const (
	// askLimit bounds the first attempt at each server: before the first install, hosts may still
	// boot. Each further round doubles the limit, because a loaded host needs more.
	askLimit = 10 * time.Second
	// backLimit bounds the retries for servers that are down, for example after a reboot of all
	// hosts.
	backLimit = time.Minute
	// askAgain is the time between two rounds.
	askAgain = time.Second
)

// kubeconfigScript prints the kubeconfig of a running K3s, and nothing on a host without K3s. It
// fails if K3s is installed but stopped, because the host then has the data of a cluster.
const kubeconfigScript = `if systemctl is-active --quiet k3s; then
	cat /etc/rancher/k3s/k3s.yaml
elif [ -e /etc/systemd/system/k3s.service ]; then
	echo "its K3s is $(systemctl is-active k3s)" >&2
	exit 1
fi`

// Kubeconfig returns the kubeconfig from the first of the other servers whose K3s runs, or nil if
// there is no cluster yet. It fails if a cluster exists but is down, because otherwise a second
// cluster would start.
func (a Admission) Kubeconfig(ctx context.Context, key []byte) ([]byte, error) {
	return a.kubeconfig(ctx, key, askLimit)
}

func (a Admission) kubeconfig(
	ctx context.Context, key []byte, limit time.Duration,
) ([]byte, error) {
	if len(a.Servers) == 0 {
		return nil, a.refuseSecondCluster()
	}
	var text []byte
	var why error
	asked := false
	err := wait.PollUntilContextTimeout(ctx, askAgain, backLimit, true,
		func(ctx context.Context) (bool, error) {
			found, down, silent := a.ask(ctx, key, limit)
			limit *= 2
			// A round that the timeout has cut short proves neither that a cluster exists nor that
			// none exists.
			over := ctx.Err() != nil
			if !over || !asked {
				why, asked = errors.Join(down, silent), true
			}
			text = found
			return len(found) > 0 || a.none && !over && down == nil, nil
		})
	if err == nil {
		return text, nil
	}
	if why == nil {
		why = fmt.Errorf("%d servers answer, and none has K3s", len(a.Servers))
	}
	return nil, fmt.Errorf("no other server's K3s runs, so it is not known what an old host left under the name: %w; "+
		"bring one back; if they lost their quorum: strata restore --current; if all are lost: "+
		"strata restore --new-hosts", why)
}

// refuseSecondCluster returns an error for a new host that is the only server, if the stack has had
// a cluster. That cluster exists only in a snapshot then, and K3s would start an empty cluster.
func (a Admission) refuseSecondCluster() error {
	if a.none {
		return nil
	}
	return fmt.Errorf("it is a new host, and the only server: K3s there would be a second "+
		"cluster without the first one's data; "+
		"bring the old host back, or: strata restore -s %s --new-hosts --file SNAPSHOT (docs/operations.md)", a.Founds)
}

// ask reads the kubeconfig from all servers in parallel. text is the kubeconfig of the first server
// whose K3s runs. down has the errors of servers whose K3s is stopped, silent those of servers that
// do not answer.
func (a Admission) ask(ctx context.Context, key []byte, limit time.Duration) (text []byte, down,
	silent error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type answer struct {
		text []byte
		err  error
	}
	answers := make([]chan answer, len(a.Servers))
	for i, server := range a.Servers {
		answers[i] = make(chan answer, 1)
		go func() {
			text, err := a.kubeconfigOf(ctx, server, key)
			answers[i] <- answer{text, err}
		}()
	}
	for i, server := range a.Servers {
		output := <-answers[i]
		var exit *remote.ExitError
		switch {
		case len(output.text) > 0 && output.err == nil:
			return output.text, nil, nil
		case errors.As(output.err, &exit):
			down = errors.Join(down, fmt.Errorf("server %s: %s", server.Name, exit.Stderr))
		case output.err != nil:
			silent = errors.Join(silent, fmt.Errorf("server %s: %w", server.Name, output.err))
		}
	}
	return nil, down, silent
}

func (a Admission) kubeconfigOf(ctx context.Context, server Member, key []byte) ([]byte, error) {
	result, err := remote.Run(ctx, server.Target, key,
		"set -eu\n"+a.Owner.WithNode(server.Name).Insists()+kubeconfigScript)
	return result.Stdout, err
}
