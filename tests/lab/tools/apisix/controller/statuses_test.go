package main

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	"strata/tests/lab/tools/apisix/adc"
)

// statusRow is a situation, and the status that upstream writes in it.
type statusRow struct {
	Keeps, Source, Of string
	Without           []string
	Instead           []map[string]any
	Status            map[string]any
}

// resourcesByKind maps the kinds in the rows to resources.
var resourcesByKind = map[string]schema.GroupVersionResource{
	"GatewayClass": classes, "Gateway": gateways, "HTTPRoute": httpRoutes, "GatewayProxy": proxies,
	"Consumer": consumers, "ApisixRoute": apisixRoutes,
	"ApisixPluginConfig": pluginConfigs, "ApisixTls": apisixTLS, "IngressClass": ingressClass,
	"Service": services, "Secret": secrets,
	"EndpointSlice": endpoints,
}

// tests/conformance compares the same rows with upstream's controller, if APISIX_CONTROLLER names
// its binary.
func TestStatusesMatchUpstreamController(t *testing.T) {
	text, err := os.ReadFile("testdata/statuses.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Objects []map[string]any
		Rows    []statusRow
	}
	if err := yaml.UnmarshalStrict(text, &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Rows {
		t.Run(row.Keeps, func(t *testing.T) {
			c := situation(t, table.Objects, row)
			// The controller counts attached routes by their status, so set it first.
			for _, route := range c.all(httpRoutes) {
				route.Object["status"] = c.statusOf(httpRoutes, route)
			}
			kind, name, _ := strings.Cut(row.Of, "/")
			all := c.all(resourcesByKind[kind])
			at := slices.IndexFunc(all, func(o object) bool { return o.GetName() == name })
			if at < 0 {
				t.Fatalf("there is no %s", row.Of)
			}
			got := summarized(t, c.statusOf(resourcesByKind[kind], all[at]))
			if want := summarized(t, row.Status); !reflect.DeepEqual(got, want) {
				t.Errorf("%s (%s): expected\n%s\nfound\n%s", row.Of, row.Source, asYAML(t, want), asYAML(t, got))
			}
		})
	}
}

// situation returns a controller that sees the objects of a row.
func situation(t *testing.T, base []map[string]any, row statusRow) *controller {
	t.Helper()
	c := &controller{last: map[string]adc.Service{}, stores: map[schema.GroupVersionResource]cache.Store{}}
	for _, resource := range resourcesByKind {
		c.stores[resource] = cache.NewStore(cache.MetaNamespaceKeyFunc)
	}
	for _, fields := range append(slices.Clone(base), row.Instead...) {
		one := decoded(t, fields)
		if slices.Contains(row.Without, one.GetKind()+"/"+one.GetName()) {
			continue
		}
		if err := c.stores[resourcesByKind[one.GetKind()]].Add(one); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// decoded returns an object with the Go types that a client returns: integers are int64.
func decoded(t *testing.T, fields map[string]any) object {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	one := &unstructured.Unstructured{}
	if err := one.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	return one
}

// summarized returns a status with each condition as "Type=Status Reason", in order. It omits
// times, generations and messages.
func summarized(t *testing.T, status map[string]any) any {
	t.Helper()
	text, err := json.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return short(value)
}

func short(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		if kind, is := typed["type"].(string); is && typed["reason"] != nil {
			return kind + "=" + typed["status"].(string) + " " + typed["reason"].(string)
		}
		for key, inner := range typed {
			typed[key] = short(inner)
		}
		return typed
	case []any:
		for i, inner := range typed {
			typed[i] = short(inner)
		}
		slices.SortFunc(typed, func(a, b any) int {
			first, _ := a.(string)
			second, _ := b.(string)
			return strings.Compare(first, second)
		})
		return typed
	}
	return value
}

func asYAML(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
