package namespace

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/kube"
)

// read reads the namespace from one API server, and its contents while it is being deleted.
func (s Spec) read(ctx context.Context, server *kube.APIServer) (namespaceFacts, error) {
	found, err := kube.Get[corev1.Namespace](ctx, server, kube.NamespaceResource, "", s.Name)
	if err != nil || found == nil || found.DeletionTimestamp == nil {
		return namespaceFacts{}, err
	}
	facts := namespaceFacts{Deleted: found.DeletionTimestamp.UTC().Format(time.TimeOnly + " UTC"),
		Finalizers: found.Finalizers}
	for _, one := range found.Status.Conditions {
		if one.Status == corev1.ConditionTrue {
			facts.Failing = append(facts.Failing, kube.Condition{
				Type: string(one.Type), Status: string(one.Status), Reason: one.Reason,
				Message: one.Message,
			})
		}
	}
	remaining := kube.ConditionOf(facts.Failing, string(corev1.NamespaceContentRemaining)).Message
	for _, one := range resourcesIn(remaining) {
		objects, err := listLeft(ctx, server, s.Name, one)
		if err != nil {
			return facts, err
		}
		facts.Left = append(facts.Left, objects...)
	}
	slices.SortStableFunc(facts.Left, func(a,
		b object) int {
		return len(b.Finalizers) - len(a.Finalizers)
	})
	return facts, nil
}

// counted matches a resource as plural.group in the message of condition NamespaceContentRemaining
// (k8s.io/kubernetes pkg/controller/namespace/deletion/status_condition_utils.go).
var counted = regexp.MustCompile(`([a-z0-9-]+)\.([a-z0-9.-]*) has \d+ resource instances`)

func resourcesIn(message string) (all []schema.GroupResource) {
	for _, match := range counted.FindAllStringSubmatch(message, -1) {
		all = append(all, schema.GroupResource{Resource: match[1], Group: match[2]})
	}
	return all
}

// listLeft lists the objects of a resource in the namespace. It returns none if no API server
// serves the resource's group; the conditions report that.
func listLeft(
	ctx context.Context, s *kube.APIServer, namespace string, resource schema.GroupResource,
) ([]object, error) {
	version := "v1"
	if resource.Group != "" {
		var group metav1.APIGroup
		served, err := s.GetJSON(ctx, "/apis/"+resource.Group, "", &group)
		if apierrors.IsServiceUnavailable(err) || err == nil && !served {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		version = group.PreferredVersion.Version
	}
	items, err := kube.List[metav1.PartialObjectMetadata](ctx, s, resource.WithVersion(version),
		namespace, metav1.ListOptions{})
	var left []object
	for i := range items {
		left = append(left, object{strings.TrimSuffix(resource.String(), "."), items[i].Name,
			items[i].Finalizers})
	}
	return left, err
}
