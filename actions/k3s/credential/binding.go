package credential

import (
	"context"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// role is the ClusterRole of the stack's user. The group system:masters would need no binding, but
// the signer refuses it
// (https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers).
const role = "cluster-admin"

// Binding returns the ClusterRoleBinding of a user, named after the user.
func Binding(user, role string) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(),
			Kind: "ClusterRoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind,
			Name: user}},
	}
}

// bind creates the user's binding, or adds the user to an existing one. It fails if the existing
// binding refers to another role, because a roleRef cannot be changed.
func bind(ctx context.Context, client kubernetes.Interface, user, role string) error {
	bindings, want := client.RbacV1().ClusterRoleBindings(), Binding(user, role)
	found, err := bindings.Get(ctx, user, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		if _, err = bindings.Create(ctx, want,
			metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
			err = nil // another run of this stack has just made it
		}
	case err != nil:
	case found.RoleRef != want.RoleRef:
		return fmt.Errorf("ClusterRoleBinding %s: expected ClusterRole %s, found %s %s; delete "+
			"it, and run pulumi up again",
			user, role, found.RoleRef.Kind, found.RoleRef.Name)
	case !slices.Contains(found.Subjects, want.Subjects[0]):
		found.Subjects = append(found.Subjects, want.Subjects[0])
		_, err = bindings.Update(ctx, found, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("ClusterRoleBinding %s: %w", user, err)
	}
	return nil
}

// unbindFormer deletes the bindings of the stack's earlier users and readers, so that their
// kubeconfigs have no rights from then on.
func (i *Issuer) unbindFormer(ctx context.Context, client kubernetes.Interface, user string) error {
	bindings := client.RbacV1().ClusterRoleBindings()
	all, err := bindings.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("ClusterRoleBindings: %w", err)
	}
	for _, found := range all.Items {
		if !isFormer(found.Name, user) && !isFormer(found.Name, ReaderOf(user)) {
			continue
		}
		if err := bindings.Delete(ctx, found.Name, metav1.DeleteOptions{}); err != nil &&
			!apierrors.IsNotFound(err) {
			return fmt.Errorf("ClusterRoleBinding %s: %w", found.Name, err)
		}
		i.say("%s has no rights any more: its kubeconfigs are revoked", found.Name)
	}
	return nil
}
