package canary

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"strata/internal/kube/apiserver"
	"strata/internal/kube/conflict"
)

// Weigh implements world. It replaces all rules of a route, because the list has no merge keys. The
// patch has the resource version, so a concurrent change causes a conflict, and Weigh retries.
func (c *cluster) Weigh(ctx context.Context, percent int) error {
	for _, route := range c.spec.Routes {
		if err := c.weigh(ctx, route, percent); err != nil {
			return fmt.Errorf("HTTPRoute %s/%s: weigh %s with %d %%: %w", c.spec.Namespace, route,
				c.spec.Canary, percent, err)
		}
	}
	return nil
}

func (c *cluster) weigh(ctx context.Context, route string, percent int) error {
	path := "/apis/gateway.networking.k8s.io/v1/namespaces/" + c.spec.Namespace +
		"/httproutes/" + route
	return conflict.Retry(retry.DefaultRetry, func() error {
		text, err := apiserver.Ask(ctx, func(ctx context.Context) ([]byte, error) {
			return c.client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(ctx)
		})
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(text, &object.Object); err != nil {
			return err
		}
		rules, _, err := unstructured.NestedSlice(object.Object, "spec", "rules")
		if err != nil {
			return err
		}
		if !c.set(rules, percent) {
			return fmt.Errorf("has no backends %s and %s", c.spec.Stable, c.spec.Canary)
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"resourceVersion": object.GetResourceVersion()},
			"spec":     map[string]any{"rules": rules},
		})
		if err != nil {
			return err
		}
		return apiserver.Insist(ctx, func(ctx context.Context) error {
			return c.client.CoreV1().RESTClient().Patch(types.MergePatchType).AbsPath(path).Param(
				"fieldManager", "strata-canary").Body(patch).Do(ctx).Error()
		})
	})
}

// set changes the weights in every rule. It returns false if a rule lacks one of the two versions.
func (c *cluster) set(rules []any, percent int) bool {
	found := 0
	for _, rule := range rules {
		fields, _ := rule.(map[string]any)
		backends, _ := fields["backendRefs"].([]any)
		for _, backend := range backends {
			ref, _ := backend.(map[string]any)
			switch ref["name"] {
			case c.spec.Stable:
				ref["weight"] = int64(100 - percent)
				found++
			case c.spec.Canary:
				ref["weight"] = int64(percent)
				found++
			}
		}
	}
	return found > 0 && found == 2*len(rules)
}
