package rights

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
)

const (
	accountKind = "ServiceAccount"
	// renewal is longer than the time until the kubelet renews a Pod's token, 80 % of an hour
	// (kubernetes pkg/kubelet/token/token_manager.go, requiresRefresh).
	renewal = time.Hour
	// refusalPeriod is longer than the pause between two attempts of client-go's reflectors, 30 s.
	refusalPeriod = time.Minute
)

// refusal describes Pods whose tokens the API server refuses. A token names the UID of its
// ServiceAccount. If the account is deleted, the API server refuses the token, even if an account
// of the same name is created again.
type refusal struct {
	// Account is namespace/name of the ServiceAccount, which does not exist if Pods is empty.
	Account string   `json:"account"`
	Pods    []string `json:"pods,omitempty"`
	// Line is a line of the first Pod's log with the API server's answer.
	Line string `json:"line,omitempty"`
}

func (r refusal) String() string {
	if len(r.Pods) == 0 {
		return "ServiceAccount " + r.Account + " does not exist"
	}
	return "Pod " + r.Pods[0] + ": " + r.Line
}

// findRefusals returns the release's ServiceAccounts that do not exist, and those that were created
// after their Pods, whose logs show the API server's refusal.
func (r *release) findRefusals(
	ctx context.Context, s *kube.APIServer, present map[key]object,
) (found []refusal, err error) {
	pods := map[string][]corev1.Pod{} // by namespace
	for at := range r.objects {
		if at.kind != accountKind {
			continue
		}
		account, has := present[at]
		if !has { // it is missing, or does not have Helm's label
			one, err := kube.Get[object](ctx, s, kube.AccountResource, at.namespace, at.name)
			if err != nil {
				return nil, err
			}
			if one == nil {
				found = append(found, refusal{Account: at.namespace + "/" + at.name})
				continue
			}
			account = *one
		}
		if time.Since(account.CreationTimestamp.Time) > renewal {
			continue
		}
		if _, read := pods[at.namespace]; !read {
			pods[at.namespace], err = kube.List[corev1.Pod](ctx, s, kube.PodResource, at.namespace,
				metav1.ListOptions{})
			if err != nil {
				return nil, err
			}
		}
		if one := readRefusal(ctx, s, account, pods[at.namespace]); len(one.Pods) > 0 {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b refusal) int { return cmp.Compare(a.Account, b.Account) })
	return found, nil
}

// readRefusal returns the Pods of a ServiceAccount that are older than it and whose logs show a
// refusal. pods are all Pods of its namespace.
func readRefusal(
	ctx context.Context, s *kube.APIServer, account object, pods []corev1.Pod,
) (found refusal) {
	found.Account = account.Namespace + "/" + account.Name
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.ServiceAccountName != account.Name || pod.DeletionTimestamp != nil ||
			!pod.CreationTimestamp.Before(&account.CreationTimestamp) {
			continue
		}
		for _, container := range pod.Spec.Containers {
			text, _ := s.ReadLog(ctx, pod.Namespace, pod.Name, container.Name, refusalPeriod)
			if line := lastRefusal(text); line != "" {
				found.Pods = append(found.Pods, pod.Name)
				found.Line = cmp.Or(found.Line, line)
				break
			}
		}
	}
	return found
}

// lastRefusal returns the last line of a log with the API server's answer to an invalid token, of
// at most 300 bytes; empty if there is none.
func lastRefusal(log string) string {
	at := strings.LastIndex(log, string(metav1.StatusReasonUnauthorized))
	if at < 0 {
		return ""
	}
	line, _, _ := strings.Cut(log[strings.LastIndex(log[:at], "\n")+1:], "\n")
	return line[:min(len(line), 300)]
}

// explain returns the message, the cause and the fix of a refusal.
func (r refusal) explain() (message, cause, hint string) {
	message = fmt.Sprintf("expected the API server to accept the tokens of ServiceAccount %s, found "+
		"that it refuses them", r.Account)
	if len(r.Pods) == 0 {
		return message, r.String(), "pulumi up puts it back, and restarts its Pods"
	}
	namespace, _, _ := strings.Cut(r.Account, "/")
	return message, "the ServiceAccount was deleted and created again after its Pods had started",
		fmt.Sprintf("kubectl -n %s delete pod %s", namespace, strings.Join(r.Pods, " "))
}
