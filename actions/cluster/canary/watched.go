package canary

import (
	"context"
	"fmt"
	"time"

	"strata/actions/cluster/watchers"
	"strata/internal/kube/apiserver"
)

// awaitWatchers waits until the API server has run for watchers.AgainAfter, for example after a
// restore. Until an ingress controller watches the restarted API server again, it has neither the
// new weights nor the new Pods. It would send requests to deleted Pods, and their errors (502)
// would count against the new version.
func awaitWatchers(ctx context.Context, spec Spec, w world, say func(string, ...any)) error {
	age, err := w.Age(ctx)
	if err != nil || age >= watchers.AgainAfter {
		return err
	}
	say("the API server began %s ago: in %s every ingress controller watches it again; nothing "+
		"goes to %s until then", age.Round(time.Second),
		(watchers.AgainAfter - age).Round(time.Second), spec.Canary)
	if err := w.Pause(ctx, watchers.AgainAfter-age); err != nil {
		return fmt.Errorf("canary %s/%s: the API server began %s ago, and ingress controllers "+
			"may not watch it yet: %w", spec.Namespace, spec.Canary, age.Round(time.Second), err)
	}
	return nil
}

// Age implements world.
func (c *cluster) Age(ctx context.Context) (time.Duration, error) {
	return apiserver.Ask(ctx, func(ctx context.Context) (time.Duration, error) {
		return watchers.Age(ctx, c.client)
	})
}
