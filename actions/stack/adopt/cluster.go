package adopt

import (
	"context"
	"time"

	"k8s.io/client-go/kubernetes"

	"strata/internal/kube/apiserver"
	"strata/internal/pulumi/stackstate"
)

// timeout bounds the check before one change: about four small requests to an API server that is
// up.
const timeout = time.Minute

// Cluster accesses a cluster that Strata made, with administrator rights.
type Cluster struct {
	kinds *apiserver.Kinds
	kube  kubernetes.Interface
}

// NewCluster returns the Cluster of a kubeconfig (its content). It sends no request.
func NewCluster(kubeconfig string) (*Cluster, error) {
	access := apiserver.Access{Kubeconfig: []byte(kubeconfig), Timeout: timeout}
	kinds, kube, err := access.Kinds()
	if err != nil {
		return nil, err
	}
	return &Cluster{kinds: kinds, kube: kube}, nil
}

// BeforeChange prepares the create of an object, or the change of a Helm release, by the kubernetes
// provider. It adopts an object or release that already exists. token is the resource's Pulumi
// type; known is true if the state contains it; inputs are its inputs as plain values. After an
// error the change must not happen.
func (c *Cluster) BeforeChange(
	ctx context.Context, token string, known bool, inputs map[string]any,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case token == stackstate.HelmRelease:
		return c.beforeRelease(ctx, known, inputs)
	case known:
		return nil
	}
	return c.beforeCreate(ctx, inputs)
}
