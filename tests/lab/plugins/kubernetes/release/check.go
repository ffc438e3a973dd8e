package release

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"helm.sh/helm/v3/pkg/action"
)

// Check fills in name, namespace and timeout, and replaces a version range by
// the version of the chart found, so that a new chart shows as a change.
func (h *Handler) Check(
	_ context.Context, req *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	olds, err := unmarshal(req.GetOlds())
	if err != nil {
		return nil, err
	}
	news, err := unmarshal(req.GetNews())
	if err != nil {
		return nil, err
	}
	if err := h.setDefaults(resource.URN(req.GetUrn()), olds, news); err != nil {
		return nil, err
	}
	release, err := decode(news)
	if err != nil {
		return nil, err
	}
	var failures []*pulumirpc.CheckFailure
	if !news.ContainsUnknowns() {
		version, err := h.chartVersion(release)
		if err != nil {
			failures = append(failures, &pulumirpc.CheckFailure{
				Property: "chart",
				Reason:   fmt.Sprintf("%v; check the chart name and repository configuration.", err),
			})
		} else {
			release.Version = version
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

func (h *Handler) chartVersion(release *Release) (string, error) {
	configuration, err := h.configuration(release.Namespace)
	if err != nil {
		return "", err
	}
	install := action.NewInstall(configuration)
	chart, err := h.load(&install.ChartPathOptions, configuration, release)
	if err != nil {
		return "", err
	}
	return chart.Metadata.Version, nil
}

func (h *Handler) setDefaults(urn resource.URN, olds, news resource.PropertyMap) error {
	if absent(news["name"]) {
		if old, ok := olds["name"]; ok {
			news["name"] = old
		} else {
			name, err := resource.NewUniqueHex(urn.Name()+"-", 0, 0)
			if err != nil {
				return err
			}
			news["name"] = resource.NewStringProperty(name)
		}
	}
	if absent(news["namespace"]) {
		news["namespace"] = resource.NewStringProperty(h.namespace)
	}
	skip := news["skipAwait"]
	if _, given := news["timeout"]; !given && (!skip.IsBool() || !skip.BoolValue()) {
		news["timeout"] = resource.NewNumberProperty(defaultTimeout)
	}
	return nil
}

func absent(value resource.PropertyValue) bool {
	return value.IsNull() || (value.IsString() && value.StringValue() == "")
}
