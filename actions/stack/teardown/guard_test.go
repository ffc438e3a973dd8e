package teardown

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

func claim(namespace, name string, phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: named(namespace, name),
		Status: corev1.PersistentVolumeClaimStatus{
			Phase: phase, Capacity: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("1Gi")},
		}}
}

func service(namespace, name string, kind corev1.ServiceType, address string) *corev1.Service {
	s := &corev1.Service{ObjectMeta: named(namespace, name), Spec: corev1.ServiceSpec{Type: kind}}
	if address != "" {
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
	}
	return s
}

func space(name string) *corev1.Namespace { return &corev1.Namespace{ObjectMeta: named("", name)} }

// before returns a guard's report on a cluster.
func before(t *testing.T, guard Guard, objects ...runtime.Object) (string, error) {
	var log bytes.Buffer
	err := guard.CheckDestroy(t.Context(), fake.NewClientset(objects...), nil, &log)
	return log.String(), err
}

func TestDestroyPrintsLossesOfUsers(t *testing.T) {
	output, err := before(t, Guard{Namespaces: []string{"traefik", "vault"}},
		space("default"), space("kube-system"), space("kube-public"), space("kube-node-lease"),
		space("traefik"), space("vault"), space("shop"),
		claim("shop", "orders", corev1.ClaimBound),
		claim("vault", "data-vault-0", corev1.ClaimBound),
		claim("shop", "waits", corev1.ClaimPending),
		service("traefik", "traefik", corev1.ServiceTypeLoadBalancer, "10.0.0.1"),
		service("shop", "web", corev1.ServiceTypeLoadBalancer, "10.0.0.2"),
		service("shop", "new", corev1.ServiceTypeLoadBalancer, ""),
		service("shop", "db", corev1.ServiceTypeClusterIP, ""))
	require.NoError(t, err)
	assert.Equal(t, `teardown: will be lost: 2 volumes, with their data: shop/orders (1Gi), vault/data-vault-0 (1Gi)
teardown: will be lost: 2 LoadBalancer Services that are not Strata's: shop/new (no address yet), shop/web (10.0.0.2)
teardown: will be lost: 1 namespaces that are not Strata's: shop
`, output)
}

func TestDestroyPrintsNothingWithoutUserObjects(t *testing.T) {
	output, err := before(t, Guard{Namespaces: []string{"traefik"}}, space("default"),
		space("traefik"), service("traefik", "traefik", corev1.ServiceTypeLoadBalancer, "10.0.0.1"))
	require.NoError(t, err)
	assert.Empty(t, output)
}

func TestProtectedClusterIsNotDestroyed(t *testing.T) {
	output, err := before(t, Guard{Protected: []string{"strata:k3s.protect",
		"strata:hosts.vm.protect"}}, claim("shop", "orders", corev1.ClaimBound))
	require.EqualError(t, err, "teardown: refused, nothing was deleted: the last up had true for "+
		"strata:k3s.protect and strata:hosts.vm.protect; "+
		"set false, run pulumi up, and destroy again")
	assert.Contains(t, output, "shop/orders", "and still it says what would be lost")
}

func TestDestroyTruncatesLongLossList(t *testing.T) {
	var objects []runtime.Object
	for i := range 25 {
		objects = append(objects, space(fmt.Sprintf("team-%02d", i)))
	}
	output, err := before(t, Guard{}, objects...)
	require.NoError(t, err)
	assert.Contains(t, output, "25 namespaces")
	assert.Contains(t, output, "team-19, and 5 more")
	assert.NotContains(t, output, "team-20")
}

// dead returns a cluster whose API server gives no answer.
func dead() *fake.Clientset {
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connect: no route to host")
	})
	return client
}

func TestDestroyWaitsForDeadClusterOnlyUntilTimeout(t *testing.T) {
	for _, protected := range [][]string{nil, {"strata:k3s.protect"}} {
		guard := Guard{Protected: protected,
			Timeout: metav1.Duration{Duration: 300 * time.Millisecond}}
		ctx, cancel := context.WithTimeout(t.Context(), guard.Timeout.Duration)
		defer cancel()
		var log bytes.Buffer
		start := time.Now()
		err := guard.CheckDestroy(ctx, dead(), nil, &log)
		assert.Less(t, time.Since(start), 5*time.Second)
		assert.Contains(t, log.String(),
			"no API server answered within 300ms with what will be lost: ")
		assert.Contains(t, log.String(), "no route to host")
		assert.Equal(t, protected != nil, err != nil,
			"what is protected needs no cluster to be refused")
	}
}

func TestUnreadableClusterIsDestroyed(t *testing.T) {
	var log bytes.Buffer
	require.NoError(t, Guard{}.CheckDestroy(t.Context(), nil,
		errors.New("STRATA_KUBECONFIG: no context"), &log))
	assert.Contains(t, log.String(), "STRATA_KUBECONFIG: no context")
}
