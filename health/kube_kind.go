package health

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

// resourceKind is how one API server serves a kind.
type resourceKind struct {
	resource   schema.GroupVersionResource
	namespaced bool
}

// kindOf asks the API server itself for the resource of an object's kind: one request without a cache, because the CRD may
// have been established a moment ago, on this server or on another one.
func (s *apiServer) kindOf(ctx context.Context, object map[string]any) (*resourceKind, error) {
	kind := (&unstructured.Unstructured{Object: object}).GroupVersionKind()
	path := "/apis/" + kind.GroupVersion().String()
	if kind.Group == "" {
		path = "/api/" + kind.Version
	}
	unknown := apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: kind.Kind}, kind.Version)
	code, body, err := s.getRaw(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case code == http.StatusNotFound:
		return nil, unknown
	case code != http.StatusOK:
		return nil, apierrors.NewServiceUnavailable(fmt.Sprintf("GET %s: %d: %s", path, code, strings.TrimSpace(body)))
	}
	var served metav1.APIResourceList
	if err := json.Unmarshal([]byte(body), &served); err != nil {
		return nil, fmt.Errorf("GET %s: %w", path, err)
	}
	for _, r := range served.APIResources {
		if r.Kind == kind.Kind && !strings.Contains(r.Name, "/") {
			return &resourceKind{resource: kind.GroupVersion().WithResource(r.Name), namespaced: r.Namespaced}, nil
		}
	}
	return nil, unknown
}
