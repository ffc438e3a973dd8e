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

// ReaderRole is the ClusterRole of the stacks' read-only users.
const ReaderRole = prefix + "reader"

// ReaderOf returns the name of the read-only user that belongs to a stack's user. Each generation
// has its own read-only user.
func ReaderOf(user string) string {
	stack, generation, _ := splitUser(user)
	return User(stack+":reader", generation)
}

// ReaderRules returns the rights of a read-only user: the reads that gates need, without Secrets.
// It does not allow to proxy to Pods and Services, because that opens every port that listens
// there.
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
		read("metallb.io", "configurationstates", "ipaddresspools", "l2advertisements",
			"servicel2statuses"),
		read("metrics.k8s.io", "nodes"),
		read("storage.k8s.io", "storageclasses"),
	}
}

// ReaderDigest returns a digest of ReaderRules. It is an input of the stack's command, so that
// changed rules make the command run again.
func ReaderDigest() string {
	text, err := json.Marshal(ReaderRules())
	if err != nil {
		panic(err) // texts always encode
	}
	return digest.Sum(text)
}

// permitReading creates the reader's role, or updates its rules, for example after an upgrade of
// Strata.
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
