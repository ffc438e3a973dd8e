package release

import (
	"fmt"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
)

// load reads the chart with its dependencies.
func (r *Release) load() (*chart.Chart, error) {
	loaded, err := loader.Load(r.Chart)
	if err != nil {
		return nil, err
	}
	if err := action.CheckDependencies(loaded, loaded.Metadata.Dependencies); err != nil {
		return nil, err
	}
	if kind := loaded.Metadata.Type; kind != "" && kind != "application" {
		return nil, fmt.Errorf("%s charts are not installable", kind)
	}
	return loaded, nil
}
