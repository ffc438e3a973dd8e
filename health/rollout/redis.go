package rollout

import (
	"context"
	"fmt"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// redisFacts says whether redis accepts the password of its clients.
type redisFacts struct {
	// Unread says why the client's log could not be read.
	Unread string `json:"unread,omitempty"`
	// Refusal is redis's last refusal in the log of Pod.
	Refusal string `json:"refusal,omitempty"`
	Pod     string `json:"pod,omitempty"`
	// Seconds is the number of seconds for which redis has refused the password.
	Seconds int `json:"seconds,omitempty"`
}

// redisLogPeriod is longer than the pause between two writes of a cluster's connection state. The
// pause is 20 s, because every other tick of 10 s is skipped (argo-cd
// controller/clusterinfoupdater.go).
const redisLogPeriod = 30 * time.Second

// refusal matches redis's refusal to store a cluster's connection state. Errors of a redis that
// does not run yet do not match, because they refuse no password.
var refusal = regexp.MustCompile(`Failed to save cluster info: ((?:WRONGPASS|NOAUTH)[^"\n]*)`)

// judgeRedis judges whether the clients of redis have its password.
func judgeRedis(spec Redis, f redisFacts) health.Verdict {
	v := health.Verdict{Check: "redis of " + spec.Namespace, State: health.Ready}
	switch {
	case f.Unread != "":
		v.State, v.Message = health.Skipped, "not read: "+f.Unread
	case f.Refusal != "":
		if v.State = health.Waiting; f.Seconds >= observe.StartupSeconds {
			v.State = health.Stuck
		}
		v.Message = "refuses the password of Pod " + f.Pod +
			": nothing that Argo CD finds out is kept or shown"
		v.Evidence = []string{f.Refusal}
		v.Cause = fmt.Sprintf("Secret %s/%s was changed after the Pods of redis or of its "+
			"clients had started", spec.Namespace, spec.Secret)
		v.Hint = fmt.Sprintf("have all of them read it again: kubectl -n %s rollout restart "+
			"deployment,statefulset", spec.Namespace)
	}
	return v
}

// observeRedis reads what the clients logged in the last redisLogPeriod.
func observeRedis(ctx context.Context, s *kube.APIServer, spec Redis) (redisFacts, error) {
	pods, err := kube.List[corev1.Pod](ctx, s, kube.PodResource, spec.Namespace,
		metav1.ListOptions{LabelSelector: spec.Clients})
	if err != nil {
		return redisFacts{}, err
	}
	facts := redisFacts{Unread: "no Pod has the label " + spec.Clients}
	for i := range pods {
		if !kube.PodReady(&pods[i]) || pods[i].DeletionTimestamp != nil {
			continue // the workload's verdict reports such a Pod
		}
		if facts = readRefusal(ctx, s, pods[i].Namespace, pods[i].Name,
			spec.Container); facts.Refusal != "" {
			break
		}
	}
	return facts, nil
}

func readRefusal(
	ctx context.Context, s *kube.APIServer, namespace, pod, container string,
) redisFacts {
	text, unread := s.ReadLog(ctx, namespace, pod, container, redisLogPeriod)
	if unread != "" {
		return redisFacts{Unread: unread}
	}
	found := refusal.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return redisFacts{}
	}
	return redisFacts{Refusal: found[len(found)-1][1], Pod: pod}
}
