package release

import (
	"fmt"
	"net/url"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/registry"
)

// load finds the chart and reads it with its dependencies.
func (h *Handler) load(
	options *action.ChartPathOptions, configuration *action.Configuration, r *Release,
) (*chart.Chart, error) {
	name := locate(options, r)
	path, err := options.LocateChart(name, h.settings.environment())
	if err != nil {
		return nil, err
	}
	loaded, err := loader.Load(path)
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

// locate sets the repository and returns the chart's name within it.
func locate(options *action.ChartPathOptions, r *Release) string {
	options.Version = strings.TrimSpace(r.Version)
	if options.Version == "" && r.Devel {
		options.Version = ">0.0.0-0"
	}
	name := strings.TrimSpace(r.Chart)
	if r.RepositoryOpts == nil {
		return name
	}
	opts := r.RepositoryOpts
	options.CertFile, options.CaFile, options.KeyFile = opts.CertFile, opts.CAFile, opts.KeyFile
	options.Username, options.Password = opts.Username, opts.Password
	if registry.IsOCI(name) {
		return name
	}
	if _, err := url.ParseRequestURI(opts.Repo); err == nil {
		options.RepoURL = opts.Repo
		return name
	}
	if !strings.Contains(name, "/") && opts.Repo != "" {
		return opts.Repo + "/" + name
	}
	return name
}
