package config

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ArgoCD configures Argo CD.
type ArgoCD struct {
	// Enabled installs Argo CD at argocd.DOMAIN. Default: true if there is an ingress controller.
	Enabled *bool `json:"enabled,omitempty"`
	// ChartVersion is the chart's version. Default: the bundle's version, or else the pin.
	ChartVersion string `json:"chartVersion,omitempty"`
	// Values are Helm values for the chart, in the form of its values.yaml. Strata refuses values
	// that it relies on (docs/values.md). Default: none.
	Values Values `json:"values,omitzero"`
	// AdminPasswordHash is the bcrypt hash of user admin's password, as `htpasswd -nbBC 10 ""
	// PASSWORD` makes it. Default: a password is generated, and is the output argocdAdminPassword.
	AdminPasswordHash string `json:"adminPasswordHash,omitempty"`
	// Root is the application that applies all others (app of apps). Default: none.
	Root ArgoCDRoot `json:"root"`
}

// ArgoCDRoot configures the root Application and the repository from which it is read.
type ArgoCDRoot struct {
	// RepoURL is the Git repository, by https, http or ssh. Empty: no root Application.
	RepoURL string `json:"repoURL,omitempty"`
	// Path is the folder of manifests in the repository. Default: its root folder.
	Path string `json:"path,omitempty"`
	// Revision is the branch, tag or commit. Default: HEAD.
	Revision string `json:"revision,omitempty"`
	// Username is the name of the login to the repository. Optional.
	Username string `json:"username,omitempty"`
	// Password, or a token, goes with Username. Set it with pulumi config set --secret --path
	// strata:argocd.root.password.
	Password string `json:"password,omitempty"`
}

var argocdOwned = slices.Concat(
	keepNames("namespaceOverride", "controller.name", "server.name", "repoServer.name", "redis.name"),
	because("Strata sets it", "use ingress.domain", "global.domain"),
	because("Strata sets it", "use crds.keep", "crds.install", "crds.keep"),
	because("TLS ends at the ingress", "", `configs.params["server.insecure"]`),
	keepDefaults("the route and its gate ask at the root", `configs.params["server.rootpath"]`,
		`configs.params["server.basehref"]`),
	because("the root application's health goes by it", "",
		`configs.cm["resource.customizations.health.argoproj.io_Application"]`),
	because("Strata sets it", "use argocd.adminPasswordHash",
		"configs.secret.argocdServerAdminPassword",
		"configs.secret.argocdServerAdminPasswordMtime"),
	keepDefaults("Strata's settings are in it", "configs.secret.createSecret", "configs.cm.create",
		"configs.params.create"),
	because("the Secret of Redis's password is Strata's own", "", "redisSecretInit"),
	keepDefaults(gated, "redis.enabled", "redis-ha.enabled", "externalRedis",
		"controller.dynamicClusterDistribution"),
	keepDefaults("Argo CD's route leads there", "server.service.servicePortHttp"),
	keepDefaults("without it Argo CD may change nothing in the cluster", "createClusterRoles"),
	unless(isPositive, because("with none Argo CD does nothing", "write at least 1",
		"controller.replicas", "server.replicas", "repoServer.replicas")),
)

// bcryptHash matches a bcrypt hash.
var bcryptHash = regexp.MustCompile(`^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$`)

func (c *Config) checkArgoCD(ps *problems) {
	argocd := c.ArgoCD
	ps.addIf(*argocd.Enabled && !c.Ingress.Uses(ControllerTraefik), field("argocd.enabled"), "true",
		"needs Traefik for its route, and ingress.controllers is "+list(c.Ingress.Controllers),
		"add "+ControllerTraefik+" to ingress.controllers, or set argocd.enabled: false")
	c.checkRoot(ps)
	// The message does not show the hash, because passwords can be tested against it.
	if hash := argocd.AdminPasswordHash; hash != "" && !bcryptHash.MatchString(hash) {
		ps.add(field("argocd.adminPasswordHash"), "", "is not a bcrypt hash",
			`make one: htpasswd -nbBC 10 "" PASSWORD | tr -d ':\n'`)
	}
}

func (c *Config) checkRoot(ps *problems) {
	root, key := c.ArgoCD.Root, func(name string) string { return field("argocd.root.%s", name) }
	if root.RepoURL == "" {
		ps.addIf(root != (ArgoCDRoot{}), key("repoURL"), "",
			"is empty, and other keys of argocd.root are set",
			"name the repository, or remove argocd.root")
		return
	}
	ps.addIf(!*c.ArgoCD.Enabled, key("repoURL"), root.RepoURL,
		"needs Argo CD, and argocd.enabled is false", "enable it, or remove argocd.root")
	// The problems below do not show the URL, because it may contain a password.
	parsed, err := url.Parse(root.RepoURL)
	switch {
	case strings.HasPrefix(root.RepoURL, "git@"):
	case err != nil || !slices.Contains([]string{"https", "http", "ssh"}, parsed.Scheme) ||
		parsed.Host == "":
		ps.add(key("repoURL"), "", "is not a Git URL by https, http or ssh",
			"write it as git clone takes it, for example https://git.example.org/platform.git")
	case parsed.User != nil && parsed.Scheme != "ssh":
		ps.add(key("repoURL"), "", "holds a user or a password",
			"set argocd.root.username, and argocd.root.password as a secret")
	}
	ps.addIf(path.IsAbs(root.Path) || strings.HasPrefix(path.Clean(root.Path), ".."), key("path"),
		root.Path, "leads out of the repository",
		"write a path relative to its top, for example apps")
	ps.addIf((root.Username == "") != (root.Password == ""), key("password"), "",
		"and username go together, and one is empty", "set both, or none")
}
