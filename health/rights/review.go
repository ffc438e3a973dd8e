package rights

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/kube"
)

// findDenied returns the first of the rights that the API server denies the account; empty if the
// account has all of them, for example from another role.
func (d difference) findDenied(ctx context.Context, s *kube.APIServer) (string, error) {
	for _, right := range d.rights {
		allowed, err := review(ctx, s, d.spec(right))
		if err != nil {
			return "", err
		}
		if !allowed {
			return describe(right, d.namespace), nil
		}
	}
	return "", nil
}

func review(
	ctx context.Context, s *kube.APIServer, spec authorizationv1.SubjectAccessReviewSpec,
) (bool, error) {
	answer, err := kube.Review(ctx, s, "subjectaccessreviews", &authorizationv1.SubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1",
			Kind: "SubjectAccessReview"}, Spec: spec,
	})
	if err != nil {
		return false, fmt.Errorf("ask for permissions of %s: %w", spec.User, err)
	}
	return answer.Status.Allowed, nil
}

// spec returns a review of whether the account has one right. Its user and groups are those that
// the API server derives from the account's token.
func (d difference) spec(right rbacv1.PolicyRule) authorizationv1.SubjectAccessReviewSpec {
	namespace, name, _ := strings.Cut(d.account, "/")
	spec := authorizationv1.SubjectAccessReviewSpec{
		User: "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace,
			"system:authenticated"},
	}
	if len(right.NonResourceURLs) > 0 {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{
			Path: right.NonResourceURLs[0], Verb: right.Verbs[0]}
		return spec
	}
	resource, sub, _ := strings.Cut(right.Resources[0], "/")
	spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
		Namespace: d.namespace, Verb: right.Verbs[0], Group: right.APIGroups[0], Version: "*",
		Resource: resource, Subresource: sub,
	}
	if len(right.ResourceNames) > 0 {
		spec.ResourceAttributes.Name = right.ResourceNames[0]
	}
	return spec
}

// describe returns one right as text, such as "list ingresses.networking.k8s.io in namespace a".
func describe(right rbacv1.PolicyRule, namespace string) string {
	if len(right.NonResourceURLs) > 0 {
		return right.Verbs[0] + " " + right.NonResourceURLs[0]
	}
	if right.Verbs[0] == rbacv1.VerbAll && right.Resources[0] == rbacv1.ResourceAll {
		return "do everything"
	}
	text := right.Verbs[0] + " " + right.Resources[0]
	if group := right.APIGroups[0]; group != "" {
		text += "." + group
	}
	if len(right.ResourceNames) > 0 {
		text += " named " + right.ResourceNames[0]
	}
	if namespace != "" {
		text += " in namespace " + namespace
	}
	return text
}
