package kube

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Review creates a review of authorization.k8s.io/v1, such as a SubjectAccessReview, and returns it
// with the API server's answer. plural is the review's resource, such as subjectaccessreviews. The
// server stores nothing.
func Review[T any](ctx context.Context, s *APIServer, plural string, question *T) (*T, error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(question)
	if err != nil {
		return nil, err
	}
	resource := authorizationv1.SchemeGroupVersion.WithResource(plural)
	answer, err := s.Dyn.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: object},
		metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return FromUnstructured[T](answer)
}
