package catalog

import (
	"maps"
	"slices"
	"strings"

	"strata/tests/lab/internal/gobuild"
)

// without returns edits that replace packages which a module imports by stub packages of the lab.
// So code that no stack or test calls is not compiled. A stub has only the names that the module
// uses. The stub's functions return errors (tests/lab/README.md, "What is left out").
//
// instead maps an import path to the stub's folder below own/without. If the stub has another
// package name than the replaced package, the value begins with the import name and a space.
func without(module, own string, instead map[string]string) []gobuild.Edit {
	var edits []gobuild.Edit
	for _, path := range slices.Sorted(maps.Keys(instead)) {
		name, folder := "", instead[path]
		if at := strings.LastIndex(folder, " "); at >= 0 {
			name, folder = folder[:at+1], folder[at+1:]
		}
		edits = append(edits, gobuild.Edit{Module: module, Old: `"` + path + `"`, New: name + `"` +
			own + "/without/" + folder + `"`})
	}
	return edits
}

// withoutInPulumi returns edits that remove cloud buckets and keys, traces, Markdown, Node policy
// packs, and the commands of Pulumi's own service.
func withoutInPulumi() []gobuild.Edit {
	const module = "github.com/pulumi/pulumi/pkg/v3"
	return without(module, "strata/tests/lab/tools/pulumi", map[string]string{
		"gocloud.dev/blob/azureblob":                 "azureblob bucket",
		"gocloud.dev/blob/gcsblob":                   "gcsblob bucket",
		"gocloud.dev/blob/s3blob":                    "bucket",
		"github.com/aws/aws-sdk-go-v2/service/s3":    "bucket",
		module + "/authhelpers":                      "authhelpers bucket",
		module + "/secrets/cloud":                    "cloud",
		module + "/cmd/pulumi/cloud":                 "cloud command",
		module + "/cmd/pulumi/do":                    "command",
		module + "/cmd/pulumi/env":                   "command",
		module + "/cmd/pulumi/insights":              "insights command",
		module + "/cmd/pulumi/neo":                   "neo command",
		module + "/cmd/pulumi/org":                   "org command",
		module + "/cmd/pulumi/trace":                 "trace command",
		"github.com/charmbracelet/glamour":           "glamour",
		"github.com/charmbracelet/glamour/ansi":      "ansi",
		module + "/cmd/esc/cli":                      "cli esc",
		"github.com/pulumi/pulumi/sdk/v3/nodejs/npm": "npm",
	})
}

// withoutInCertManager returns edits that remove the DNS01 solvers of clouds, and the Venafi
// issuer. The Vault issuer, and ACME with HTTP-01 and RFC 2136, stay, because a stack may use them
// (certManager.issuer).
func withoutInCertManager() []gobuild.Edit {
	const module = "github.com/cert-manager/cert-manager"
	return without(module, module+"/lab", map[string]string{
		module + "/pkg/issuer/acme/dns":           "dns",
		module + "/pkg/issuer/venafi/client":      "venafi",
		"github.com/Venafi/vcert/v5/pkg/endpoint": "endpoint",
		"github.com/go-ldap/ldap/v3":              "ldap",
	})
}

// withoutInTraefik returns edits that remove the providers of Docker, ECS, Nomad, Knative and
// key-value stores, plugins, Brotli and the fast proxy.
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
	return append(edits, gobuild.Edit{Module: module, Old: "return brotli.NewWriter(rw), " +
		"brotliName, nil", New: "return brotli.NewWriter(rw)"})
}

// withoutInArgoCD returns edits that remove the APIs of Git hosting services, notifications, and
// the command argocd.
func withoutInArgoCD() []gobuild.Edit {
	const module, own = "github.com/argoproj/argo-cd/v3", "strata/tests/lab/tools/argocd"
	const engine, services = "github.com/argoproj/notifications-engine",
		"github.com/argoproj/notifications-engine/pkg/services"
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
	edits = append(edits, without(engine, own, map[string]string{services: "services"})...)
	return append(edits, forKubernetesInArgoCD()...)
}

// forKubernetesInArgoCD returns the edits that make Argo CD compile with Kubernetes 0.36, whose
// modules Argo CD itself uses since 3.5. They also adapt Argo CD to the GitOps engine of 3.4.2, the
// nearest version in the checksum database.
func forKubernetesInArgoCD() []gobuild.Edit {
	const module, engine = "github.com/argoproj/argo-cd/v3", "github.com/argoproj/argo-cd/gitops-engine"
	const first = `appcontroller "` + module + `/cmd/argocd-application-controller/commands"`
	edit := func(of, old, edited string) gobuild.Edit { return gobuild.Edit{Module: of, Old: old, New: edited} }
	return []gobuild.Edit{
		// Kubernetes 0.36 has moved or removed these packages.
		edit(module, `"k8s.io/apimachinery/pkg/util/httpstream"`, `"k8s.io/streaming/pkg/httpstream"`),
		edit(module, `"k8s.io/kubectl/pkg/util/resource"`, `"k8s.io/component-helpers/resource"`),
		edit(module, "req, _ := resourcehelper.PodRequestsAndLimits(&pod)",
			"req := resourcehelper.PodRequests(&pod, resourcehelper.PodResourcesOptions{UseStatusResources: true})"),
		edit(engine, `"k8s.io/api/autoscaling/v2beta1"`, `"k8s.io/api/autoscaling/v2"`),
		edit(engine, `"k8s.io/api/autoscaling/v2beta2"`, `"k8s.io/api/autoscaling/v2"`),
		// Kubernetes's own types are no longer gRPC messages. So Argo CD's API cannot send lists of
		// Kubernetes events, and returns an error for them.
		edit(module, "return msg, metadata, err",
			"message, _ := any(msg).(proto.Message)\n\treturn message, metadata, err"),
		edit(module, first, `_ "strata/tests/lab/tools/argocd/without/gates"`+"\n\t"+first),
		// kubectl 0.36 does not merge a CRD with the existing one in a client-side dry run
		// (kubernetes#139538).
		edit(engine, "dryRunStrategy = cmdutil.DryRunClient", "dryRunStrategy = cmdutil.DryRunClient\n"+
			"\t\tif t.liveObj != nil && kubeutil.IsCRD(t.targetObj) && !sc.force "+
			"{\n\t\t\tdryRunStrategy = cmdutil.DryRunServer\n\t\t}"),
		// Changes of 3.4.4 in the engine: a function became a method, and an error was checked too
		// late.
		edit(module, "k.ManageServerSideDiffDryRuns(config, openAPISchema)",
			"kube.ManageServerSideDiffDryRuns(config, openAPISchema, k.Tracer, k.Log, k.OnKubectlRun)"),
		edit(engine, "typedPredictedLive = typedPredictedLive.RemoveItems(comparison.Removed)",
			"if err == nil {\n\t\ttypedPredictedLive = typedPredictedLive.RemoveItems(comparison.Removed)\n\t}"),
	}
}

// withoutPrepending returns edits that remove a field that MetalLB sets for FRR-K8s. frr-k8s 0.0.25
// does not have the field, and the module proxy does not serve the version that MetalLB requires.
// The edited speaker rejects advertisements with asPathPrepend; the lab has no FRR.
func withoutPrepending() []gobuild.Edit {
	const module, field, of = "go.universe.tf/metallb", "PrefixesWithAsPathPrepend", "frrv1beta1.AsPathPrependPrefixes"
	return []gobuild.Edit{
		{Module: module, Old: field + ": make([]" + of + ", 0),"},
		{
			Module: module,
			Old:    "neighbor.ToAdvertise." + field + " = toAdvertiseWithAsPathPrepend(prefixesForAsPathPrepend)",
			New:    `if len(prefixesForAsPathPrepend) > 0 { return errors.New("the lab's MetalLB has no asPathPrepend") }`,
		},
		{Module: module, Old: of, New: "struct { AsPathPrepend uint8; Prefixes []string }"},
	}
}
