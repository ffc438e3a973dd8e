package release

import (
	"context"
	"fmt"
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Check fills in namespace and timeout, and the version of the chart found, so
// that a new chart shows as a change.
func (h *Handler) Check(
	_ context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	news, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	h.setDefaults(news)
	release, err := decode(news)
	if err != nil {
		return nil, err
	}
	var failures []*pulumirpc.CheckFailure
	if !news.ContainsUnknowns() {
		if release.Name == "" || !reflect.DeepEqual(release.Unused, Unused{}) {
			failures = append(failures, &pulumirpc.CheckFailure{Reason: fmt.Sprintf(
				"the lab's plugin wants a name and the defaults of all that it does not know, found %q and %+v", release.Name, release.Unused)})
		}
		if chart, err := release.load(); err != nil {
			failures = append(failures, &pulumirpc.CheckFailure{
				Property: "chart",
				Reason:   fmt.Sprintf("%v; check the chart name and repository configuration.", err),
			})
		} else {
			release.Version = chart.Metadata.Version
		}
	}
	inputs, err := release.encode()
	if err != nil {
		return nil, err
	}
	delete(inputs, "resourceNames")
	delete(inputs, "status")
	follow(inputs, news)
	fields, err := marshal(inputs)
	return &pulumirpc.CheckResponse{Inputs: fields, Failures: failures}, err
}

func (h *Handler) setDefaults(news resource.PropertyMap) {
	if namespace := news["namespace"]; namespace.IsNull() || (namespace.IsString() && namespace.StringValue() == "") {
		news["namespace"] = resource.NewStringProperty(h.namespace)
	}
	skip := news["skipAwait"]
	if _, given := news["timeout"]; !given && (!skip.IsBool() || !skip.BoolValue()) {
		news["timeout"] = resource.NewNumberProperty(defaultTimeout)
	}
}
