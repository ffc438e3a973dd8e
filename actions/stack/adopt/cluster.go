package adopt

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"strata/internal/kube/apiserver"
)

// timeout bounds the check before one change: about four small requests to an API server that is
// up.
const timeout = time.Minute

// ReleaseToken is the Pulumi type of a Helm release.
const ReleaseToken = "kubernetes:helm.sh/v3:Release"

// Cluster accesses a cluster that Strata made, with administrator rights.
type Cluster struct {
	objects dynamic.Interface
	kube    kubernetes.Interface
	// mutex guards kinds, which caches the kinds that each apiVersion serves.
	mutex sync.Mutex
	kinds map[string]map[string]served
}

// served describes a kind as the API server serves it.
type served struct {
	resource   string
	namespaced bool
}

// NewCluster returns the Cluster of a kubeconfig (its content). It sends no request.
func NewCluster(kubeconfig string) (*Cluster, error) {
	access := apiserver.Access{Kubeconfig: []byte(kubeconfig), Timeout: timeout}
	objects, err := access.Objects()
	if err != nil {
		return nil, err
	}
	kube, err := access.Client()
	if err != nil {
		return nil, err
	}
	return &Cluster{objects: objects, kube: kube, kinds: map[string]map[string]served{}}, nil
}

// BeforeChange makes sure that the kubernetes provider can create an object, or change a Helm
// release, and adopts one that exists already. token is the resource's Pulumi type; known is true
// if the state contains it; inputs are its inputs as plain values. After an error the change must
// not happen.
func (c *Cluster) BeforeChange(
	ctx context.Context, token string, known bool, inputs map[string]any,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case token == ReleaseToken:
		return c.beforeRelease(ctx, known, inputs)
	case known:
		return nil
	}
	return c.beforeCreate(ctx, inputs)
}

// serves looks up a kind by apiVersion. It returns false if the API server does not serve the kind
// (yet); then no object of this kind exists.
func (c *Cluster) serves(ctx context.Context, version, kind string) (served, bool, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if found, ok := c.kinds[version][kind]; ok {
		return found, true, nil
	}
	list, err := apiserver.Ask(ctx, func(context.Context) (*metav1.APIResourceList, error) {
		return c.kube.Discovery().ServerResourcesForGroupVersion(version)
	})
	switch {
	case apierrors.IsNotFound(err): // the group or version is not served
		return served{}, false, nil
	case err != nil:
		return served{}, false, fmt.Errorf("kinds of %s: %w", version, err)
	}
	c.kinds[version] = map[string]served{}
	for _, one := range list.APIResources {
		if !strings.Contains(one.Name, "/") { // no subresource, such as pods/log
			c.kinds[version][one.Kind] = served{resource: one.Name, namespaced: one.Namespaced}
		}
	}
	found, ok := c.kinds[version][kind]
	return found, ok, nil
}
