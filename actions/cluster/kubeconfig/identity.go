package kubeconfig

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/actions/verb"
	"strata/internal/kube/apiserver"
)

// Identify prints the Place of the cluster. It fails if the cluster's UID differs from that in its
// previous output.
var Identify = verb.New(func(ctx context.Context, call verb.Call, asked Recognition) error {
	before, err := verb.Previous[Place](call)
	if err != nil {
		return err
	}
	client, err := call.Client()
	if err != nil {
		return err
	}
	place, err := asked.Recognise(ctx, client, before)
	if err != nil {
		return fmt.Errorf("layer cluster: %w", err)
	}
	return call.PrintJSON(place)
})

// Recognition is the input of Identify. Pulumi's state stores it, so its JSON keys must not change.
type Recognition struct {
	// Server is the API server's URL. Forget is the command, shown in the error message, that
	// removes the objects in the previous cluster from the stack's state.
	Server string `json:"server"`
	Forget string `json:"forget"`
	// Timeout bounds the request.
	Timeout metav1.Duration `json:"timeout"`
}

// Place is the address and identity of a cluster. UID is the UID of the namespace kube-system,
// which identifies the cluster. A CA does not, because it may be rotated.
type Place struct {
	Server string `json:"server"`
	UID    string `json:"uid"`
}

// Recognise returns the Place of the cluster. It fails if previous, the output of the last run, has
// another UID. An empty previous matches every cluster.
func (r Recognition) Recognise(
	ctx context.Context, client kubernetes.Interface, previous Place,
) (Place, error) {
	now := Place{Server: r.Server}
	system, err := apiserver.Ask(ctx, func(ctx context.Context) (*corev1.Namespace, error) {
		return client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	})
	if err != nil {
		return now, fmt.Errorf("UID of namespace kube-system at %s: %w", r.Server, err)
	}
	now.UID = string(system.UID)
	if previous.UID != "" && previous.UID != now.UID {
		return now, fmt.Errorf("refused, nothing was changed: the context led to the cluster at "+
			"%s (kube-system %s), and leads to another one at %s (kube-system %s). "+
			"Point it back. Or let the stack forget what it made in the first, which stays "+
			"there, and run pulumi up: %s",
			previous.Server, previous.UID, now.Server, now.UID, r.Forget)
	}
	return now, nil
}
