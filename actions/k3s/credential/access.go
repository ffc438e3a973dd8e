package credential

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// access returns K3s's own admin access from the first server that answers. It does not contact the
// servers behind that one in the list, because they may not have joined yet. If the certificate in
// the server's kubeconfig has expired by the server's clock, K3s's other certificates there have
// expired too, so access restarts K3s on all such servers. While no server answers, it retries
// until the command's timeout.
func (i *Issuer) access(ctx context.Context, servers []remote.Target) (*admin, error) {
	var silent error
	for limit := readLimit; ; limit *= 2 {
		found, failed, err := i.first(ctx, servers, limit)
		switch {
		case err != nil || found != nil:
			return found, err
		case silent == nil || ctx.Err() == nil:
			silent = failed // after the timeout, keep the previous round's errors, which say more
		}
		if ctx.Err() != nil || !errors.Is(failed, context.DeadlineExceeded) {
			return nil, fmt.Errorf("no server's k3s.yaml could be read: %w", silent)
		}
		i.say("no server has answered within %s; they are asked again: %v", limit, failed)
	}
}

// first reads K3s's own kubeconfig from one server after the other and returns the first access. If
// no server answers, silent has the error of each server.
func (i *Issuer) first(
	ctx context.Context, servers []remote.Target, limit time.Duration,
) (access *admin, silent, err error) {
	for n := range servers {
		found, failed := i.admins(ctx, servers[n:n+1], limit)
		silent = errors.Join(silent, failed)
		if len(found) == 0 {
			continue
		}
		if found[0].hasEnded() {
			access, err = i.renewAccess(ctx, servers, limit)
			return access, nil, err
		}
		if silent != nil {
			i.say("goes on without: %v", silent)
		}
		return &found[0], nil, nil
	}
	return nil, silent, nil
}

// renewAccess restarts K3s on the servers whose certificates have expired, and returns the first
// access that is valid afterwards.
func (i *Issuer) renewAccess(
	ctx context.Context, servers []remote.Target, limit time.Duration,
) (*admin, error) {
	found, silent := i.admins(ctx, servers, limit)
	ended := slices.DeleteFunc(found, func(one admin) bool { return !one.hasEnded() })
	if err := i.restart(ctx, ended); err != nil {
		return nil, errors.Join(err, silent)
	}
	found, silent = i.admins(ctx, servers, limit)
	for n, one := range found {
		if !one.hasEnded() {
			return &found[n], nil
		}
		silent = errors.Join(silent, fmt.Errorf(
			"k3s.yaml of %s: its certificate ended at %s, also after a restart of K3s", one.server,
			one.ends.Format(time.RFC3339)))
	}
	return nil, fmt.Errorf("no server has a kubeconfig that its API server believes: %w; see "+
		"journalctl -u k3s there", silent)
}

// restart restarts K3s on all these servers at the same time, because etcd needs a majority of
// members that trust each other's certificates.
func (i *Issuer) restart(ctx context.Context, ended []admin) error {
	for _, one := range ended {
		i.say("K3s's own certificates on %s ended at %s: K3s is restarted there, which renews them",
			one.server, one.ends.Format(time.RFC3339))
	}
	return k3shost.ForEach(ended, func(_ int, one admin) error {
		if err := i.Hosts.Restart(ctx, one.server); err != nil {
			return fmt.Errorf("restart K3s on %s, whose certificates have ended: %w", one.server,
				err)
		}
		return nil
	})
}
