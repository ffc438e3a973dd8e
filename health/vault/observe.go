package vault

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"

	"strata/health/kube"
)

// read reads Vault's health through an API server's proxy. Vault gets no credentials, because
// the API server does not forward those of the request.
func (w *vaultWatch) read(
	ctx context.Context, s *kube.APIServer,
) (facts vaultFacts, err error) {
	path := fmt.Sprintf("/api/v1/namespaces/%s/pods/https:%s:%d/proxy/v1/sys/health",
		w.spec.Namespace, w.spec.Pod, w.spec.Port)
	if facts.Status, facts.Body, err = s.GetRaw(ctx, path); err != nil {
		return facts, err
	}
	if facts.Error = notVault(facts.Status, facts.Body); facts.Error != "" {
		workloads, err := kube.ObserveWorkloads(ctx, s, []kube.WorkloadRef{w.workload}, w.images,
			w.stable)
		if err != nil {
			return facts, err
		}
		facts.Workload = workloads[0]
		return facts, nil
	}
	// Read the Pod last: a Pod that is not being deleted now was not being deleted when it
	// answered.
	pod, err := kube.Get[corev1.Pod](ctx, s, kube.PodResource, w.spec.Namespace, w.spec.Pod)
	facts.Leaving = pod == nil || pod.DeletionTimestamp != nil
	if err == nil && facts.Status == http.StatusOK && !facts.Leaving {
		facts.Rights, err = w.rights.Observe(ctx, s)
	}
	return facts, err
}

// notVault returns the answer of a server other than Vault, usually the API server that could not
// reach Vault. It is empty for Vault's own answer.
func notVault(status int, body string) string {
	var message struct {
		Initialized *bool  `json:"initialized"`
		Message     string `json:"message"`
	}
	err := json.Unmarshal([]byte(body), &message)
	switch {
	case err == nil && message.Initialized != nil:
		return ""
	case err == nil && message.Message != "":
		return message.Message
	}
	return fmt.Sprintf("HTTP %d: %.200s", status, body)
}
