package config

// ArgoCD configures Argo CD.
type ArgoCD struct {
	// Enabled installs Argo CD at argocd.DOMAIN. Default: where there is an ingress controller.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are values of the chart, as its values.yaml has them, below those that Strata sets
	// (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// AdminPasswordHash is the bcrypt hash of user admin's password, as `htpasswd -nbBC 10 ""
	// PASSWORD` makes it. Default: a password is generated, and is the output argocdAdminPassword.
	AdminPasswordHash string `json:"adminPasswordHash,omitempty"`
	// Root is the application that brings all others (app of apps). Default: none.
	Root ArgoCDRoot `json:"root"`
}

// ArgoCDRoot is the root Application and the repository that it is read from.
type ArgoCDRoot struct {
	// RepoURL is the Git repository, by https, http or ssh. Empty: no root Application.
	RepoURL string `json:"repoURL,omitempty"`
	// Path is the folder of manifests in the repository. Default: its top.
	Path string `json:"path,omitempty"`
	// Revision is the branch, tag or commit. Default: HEAD.
	Revision string `json:"revision,omitempty"`
	// Username logs in to the repository. Optional.
	Username string `json:"username,omitempty"`
	// Password, or a token, goes with Username. Set it with pulumi config set --secret --path
	// strata:argocd.root.password.
	Password string `json:"password,omitempty"`
}
