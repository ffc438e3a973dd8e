package catalog

import (
	"maps"
	"slices"
	"strings"

	"strata/tests/lab/internal/gobuild"
)

// without are edits that put packages of the lab's in the place of some that a module imports: what
// no stack and no story calls is not compiled. A package of the lab's has the names that are used,
// and refuses when it is called (tests/lab/README.md, "What is left out"). instead has, by the path
// that is imported, what is written in its place, below own and with its name where that is not the
// package's.
func without(module, own string, instead map[string]string) []gobuild.Edit {
	var edits []gobuild.Edit
	for _, path := range slices.Sorted(maps.Keys(instead)) {
		name, folder := "", instead[path]
		if at := strings.LastIndex(folder, " "); at >= 0 {
			name, folder = folder[:at+1], folder[at+1:]
		}
		edits = append(edits, gobuild.Edit{Module: module, Old: `"` + path + `"`, New: name + `"` + own + "/without/" + folder + `"`})
	}
	return edits
}

// withoutInPulumi leaves out clouds' buckets, keys and logs, and what speaks to Pulumi's own
// service.
func withoutInPulumi() []gobuild.Edit {
	const module = "github.com/pulumi/pulumi/pkg/v3"
	return without(module, "strata/tests/lab/tools/pulumi", map[string]string{
		"gocloud.dev/blob/azureblob":                 "bucket",
		"gocloud.dev/blob/gcsblob":                   "gcsblob bucket",
		"gocloud.dev/blob/s3blob":                    "bucket",
		"github.com/aws/aws-sdk-go-v2/service/s3":    "bucket",
		module + "/authhelpers":                      "authhelpers bucket",
		module + "/secrets/cloud":                    "cloud",
		module + "/operations":                       "operations",
		module + "/cmd/pulumi/cloud":                 "cloud command",
		module + "/cmd/pulumi/env":                   "command",
		module + "/cmd/pulumi/insights":              "insights command",
		module + "/cmd/pulumi/neo":                   "neo command",
		module + "/cmd/pulumi/org":                   "org command",
		module + "/cmd/pulumi/trace":                 "trace command",
		"github.com/charmbracelet/glamour":           "glamour",
		"github.com/pulumi/esc/cmd/esc/cli":          "esc",
		"github.com/pulumi/pulumi/sdk/v3/nodejs/npm": "npm",
	})
}

// withoutInCertManager leaves out the solvers and issuers of clouds and Venafi. That of Vault
// stays, and ACME's with HTTP-01 and RFC 2136: a stack may have them sign (certManager.issuer).
func withoutInCertManager() []gobuild.Edit {
	const module = "github.com/cert-manager/cert-manager"
	return without(module, module+"/lab", map[string]string{
		module + "/pkg/issuer/acme/dns":      "dns",
		module + "/pkg/issuer/venafi/client": "venafi",
		"github.com/go-ldap/ldap/v3":         "ldap",
	})
}

// withoutInTraefik leaves out providers of other systems, plugins, and two ways to hand on an
// answer.
func withoutInTraefik() []gobuild.Edit {
	const module, own = "github.com/traefik/traefik/v3", "strata/tests/lab/tools/traefik"
	edits := without(module, own, map[string]string{
		module + "/pkg/plugins":                     "plugins",
		module + "/pkg/proxy/fast":                  "fast",
		"github.com/andybalholm/brotli":             "brotli",
		module + "/pkg/provider/consulcatalog":      "consulcatalog provider",
		module + "/pkg/provider/docker":             "docker provider",
		module + "/pkg/provider/ecs":                "ecs provider",
		module + "/pkg/provider/kubernetes/knative": "knative provider",
		module + "/pkg/provider/kv/consul":          "consul provider",
		module + "/pkg/provider/kv/etcd":            "etcd provider",
		module + "/pkg/provider/kv/redis":           "redis provider",
		module + "/pkg/provider/kv/zk":              "zk provider",
		module + "/pkg/provider/nomad":              "nomad provider",
	})
	return append(edits, gobuild.Edit{Module: module, Old: "return brotli.NewWriter(rw), brotliName, nil", New: "return brotli.NewWriter(rw)"})
}

// withoutInArgoCD leaves out the forges' APIs, notifications and the command argocd.
func withoutInArgoCD() []gobuild.Edit {
	const module, own = "github.com/argoproj/argo-cd/v3", "strata/tests/lab/tools/argocd"
	const engine, services = "github.com/argoproj/notifications-engine", "github.com/argoproj/notifications-engine/pkg/services"
	edits := without(module, own, map[string]string{
		services: "services",
		module + "/applicationset/services/pull_request": "pullrequest",
		module + "/applicationset/services/scm_provider": "scm",
		module + "/applicationset/webhook":               "webhook",
		module + "/cmd/argocd/commands":                  "cli",
		module + "/cmd/argocd-k8s-auth/commands":         "cli",
		module + "/util/swagger":                         "swagger",
		module + "/util/webhook":                         "webhook",
		module + "/util/workloadidentity":                "identity",
		"github.com/gfleury/go-bitbucket-v1":             "bitbucket",
	})
	return append(edits, without(engine, own, map[string]string{services: "services"})...)
}
