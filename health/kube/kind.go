package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ResourceKind describes an object's kind as one API server serves it.
type ResourceKind struct {
	Resource   schema.GroupVersionResource
	Namespaced bool
}

// KindOf returns the resource that this API server serves for an object's kind, or a NotFound
// error. It uses no cache, because the CRD may have been established a moment ago, on this server
// or on another one.
func (s *APIServer) KindOf(ctx context.Context, object map[string]any) (*ResourceKind, error) {
	kind := (&unstructured.Unstructured{Object: object}).GroupVersionKind()
	path := "/apis/" + kind.GroupVersion().String()
	if kind.Group == "" {
		path = "/api/" + kind.Version
	}
	unknown := apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind},
		kind.Version)
	code, body, err := s.GetRaw(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case code == http.StatusNotFound:
		return nil, unknown
	case code != http.StatusOK:
		return nil, apierrors.NewServiceUnavailable(fmt.Sprintf("GET %s: %d: %s", path, code,
			strings.TrimSpace(body)))
	}
	var served metav1.APIResourceList
	if err := json.Unmarshal([]byte(body), &served); err != nil {
		return nil, fmt.Errorf("GET %s: %w", path, err)
	}
	for _, r := range served.APIResources {
		if r.Kind == kind.Kind && !strings.Contains(r.Name, "/") {
			return &ResourceKind{Resource: kind.GroupVersion().WithResource(r.Name),
				Namespaced: r.Namespaced}, nil
		}
	}
	return nil, unknown
}
