package pool

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

var (
	poolResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "ipaddresspools"}
	stateResource = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1",
		Resource: "configurationstates"}
)

// stampSlack allows for the difference between two API servers' clocks, and for the resolution of
// the times that they write.
const stampSlack = time.Second

type poolWatch struct {
	spec   Spec
	stable *observe.Stable
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(spec health.Spec, secrets health.Secrets) (health.Watch, error) {
	w := &poolWatch{spec: s, stable: observe.NewStable(time.Now)}
	return kube.NewWatch(spec, secrets, kube.Watch[poolFacts]{
		Stable: w.stable,
		Sources: []kube.Source{
			{Resource: poolResource, Namespace: s.Namespace},
			{Resource: kube.AdvertisementResource, Namespace: s.Namespace},
			{Resource: stateResource, Namespace: s.Namespace},
		},
		Read:  w.read,
		Judge: func(facts poolFacts) []health.Verdict { return judgePool(s, facts) },
	})
}

// patience sets the number of seconds for which a state that is not fresh has not changed, and
// whether the Pod that writes it is Ready.
func (w *poolWatch) patience(
	ctx context.Context, s *kube.APIServer, object *stateObject, state *configurationState,
) error {
	if state.Fresh {
		w.stable.Forget(state.Name)
		return nil
	}
	state.Seconds = w.stable.Seconds(state.Name, object.ResourceVersion)
	for _, owner := range object.OwnerReferences {
		pod, err := kube.Get[corev1.Pod](ctx, s, kube.PodResource, object.Namespace, owner.Name)
		if err != nil {
			return err
		}
		state.Alive = state.Alive || pod != nil && pod.UID == owner.UID && kube.PodReady(pod)
	}
	return nil
}
