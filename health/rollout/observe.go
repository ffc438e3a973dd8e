package rollout

import (
	"context"

	"strata/health/kube"
	"strata/health/observe"
)

func (w *rolloutWatch) read(ctx context.Context, s *kube.APIServer) (facts rolloutFacts,
	err error) {
	err = observe.InParallel(
		func() (err error) {
			if facts.Workloads, err = kube.ObserveWorkloads(ctx, s, w.workloads, w.images,
				w.stable); err != nil {
				return err
			}
			facts.Rights, err = w.rights.Observe(ctx, s)
			return err
		},
		func() error {
			if w.spec.Redis == nil {
				return nil
			}
			redis, err := observeRedis(ctx, s, *w.spec.Redis)
			facts.Redis = &redis
			return err
		},
	)
	if facts.Redis != nil {
		facts.Redis.Seconds = w.stable.Seconds("redis", facts.Redis.Refusal)
	}
	return facts, err
}
