package credential

import (
	"context"
	"encoding/json"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"strata/internal/files/digest"
)

// ReaderRole is the ClusterRole of a stack's reader.
const ReaderRole = prefix + "reader"

// ReaderOf returns the name of the reader of a stack's user: a second user that can only read. Each
// generation has its own reader.
func ReaderOf(user string) string {
	stack, generation, _ := splitUser(user)
	return User(stack+":reader", generation)
}

// ReaderRules returns the rights of a reader: gates' reads without Secrets, and no changes. Proxies
// to Pods and Services are left out, because their users reach every port that listens there.
func ReaderRules() []rbacv1.PolicyRule {
	read := func(group string, resources ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources,
			Verbs: []string{"get", "list", "watch"}}
	}
	return []rbacv1.PolicyRule{
		{NonResourceURLs: []string{"/readyz"}, Verbs: []string{"get"}},
		read("", "events", "namespaces", "nodes", "persistentvolumeclaims", "pods",
			"serviceaccounts", "services"),
		read("acme.cert-manager.io", "challenges", "orders"),
		read("apiextensions.k8s.io", "customresourcedefinitions"),
		read("apiregistration.k8s.io", "apiservices"),
		read("apps", "daemonsets", "deployments", "replicasets", "statefulsets"),
		read("argoproj.io", "applications"),
		read("cert-manager.io", "certificaterequests", "certificates", "clusterissuers", "issuers"),
		read("coordination.k8s.io", "leases"),
		read("discovery.k8s.io", "endpointslices"),
		read("gateway.networking.k8s.io", "gatewayclasses", "gateways"),
		read("metallb.io", "configurationstates", "ipaddresspools", "l2advertisements"),
		read("metrics.k8s.io", "nodes"),
		read("storage.k8s.io", "storageclasses"),
	}
}

// ReaderDigest returns a digest of ReaderRules. When the digest changes, the stack's command runs
// again.
func ReaderDigest() string {
	text, err := json.Marshal(ReaderRules())
	if err != nil {
		panic(err) // texts always encode
	}
	return digest.Sum(text)
}

// permitReading makes the reader's role, and corrects a role that has other rules, for example
// after an update of Strata.
func permitReading(ctx context.Context, client kubernetes.Interface) error {
	roles := client.RbacV1().ClusterRoles()
	want := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: ReaderRole},
		Rules: ReaderRules()}
	found, err := roles.Get(ctx, ReaderRole, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		_, err = roles.Create(ctx, want, metav1.CreateOptions{})
	case err == nil && !equality.Semantic.DeepEqual(found.Rules, want.Rules):
		found.Rules = want.Rules
		_, err = roles.Update(ctx, found, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("ClusterRole %s: %w", ReaderRole, err)
	}
	return nil
}
