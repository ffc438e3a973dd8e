package catalog

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/gobuild"
)

// Names of steps that other steps or tests refer to. pluginPrefix is the prefix of the steps that
// build Pulumi plugins.
const (
	stepPulumi   = "pulumi"
	stepHost     = "pulumi-language-go"
	stepK3s      = "k3s"
	stepInstall  = "k3s-install"
	stepMetalLB  = "metallb"
	stepCoreDNS  = "coredns"
	stepMetrics  = "metrics-server"
	stepPause    = "pause"
	stepServer   = "testserver"
	stepChart    = "metallb-chart"
	stepMachine  = "machine-image"
	pluginPrefix = "pulumi-resource-"

	stepCertManager      = "cert-manager"
	stepCertManagerChart = "cert-manager-chart"
	stepTraefik          = "traefik"
	stepTraefikChart     = "traefik-chart"
	stepTraefikCRDs      = "traefik-crds"
	stepVault            = "vault"
	stepVaultChart       = "vault-chart"
	stepAPISIX           = "apisix"
	stepAPISIXChart      = "apisix-chart"
	stepAPISIXController = "apisix-controller-chart"
	stepAPISIXCRDs       = "apisix-crds"
	stepHTTPBin          = "httpbin"
	stepGoRest           = "go-rest"
	stepCertWait         = "cert-wait"
	stepWave             = "wave"
	stepWaveChart        = "wave-chart"
	stepArgoCD           = "argocd"
	stepArgoCDRoot       = "argocd-root"
	stepArgoCDChart      = "argocd-chart"
	stepRedisRoot        = "redis-root"
	stepVaultRoot        = "vault-root"
)

// commands returns the Go commands by the name of their step. Folders are relative to tests/lab.
func commands() map[string]gobuild.Command {
	own := []string{"."}
	all := map[string]gobuild.Command{
		stepPulumi: {
			Module: "tools/pulumi", Packages: []string{"github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"},
			Variables: []string{"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v" + pulumiVersion},
			Edits:     withoutInPulumi(),
		},
		stepHost: {
			Module:    "tools/pulumi-language-go",
			Packages:  []string{"./launcher", "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go"},
			Variables: []string{"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v" + hostVersion},
		},
		stepK3s: {
			Module: "k3s", Packages: own, Output: "k3s",
			Variables: k3sVariables(),
		},
		stepMetalLB: {
			Module: "tools/metallb", Packages: []string{"go.universe.tf/metallb/controller",
				"go.universe.tf/metallb/speaker"},
			Edits: withoutPrepending(),
		},
		stepCertManager: {
			Module: "tools/cert-manager", Packages: []string{"./acmesolver", "./cainjector",
				"./controller", "./webhook"},
			Variables: []string{"github.com/cert-manager/cert-manager/pkg/util.AppVersion=v" + certManagerVersion},
			Edits:     withoutInCertManager(),
		},
		stepCoreDNS: {Module: "tools/coredns", Packages: own},
		stepMetrics: {Module: "tools/metrics-server", Packages: own},
		stepTraefik: {
			Module: "tools/traefik", Packages: []string{"github.com/traefik/traefik/v3/cmd/traefik"},
			Variables: []string{"github.com/traefik/traefik/v3/pkg/version.Version=" + traefikVersion},
			Edits:     withoutInTraefik(),
		},
		stepArgoCD: {
			Module: "tools/argocd", Packages: []string{"github.com/argoproj/argo-cd/v3/cmd"}, Output: "argocd",
			Variables: []string{"github.com/argoproj/argo-cd/v3/common.version=" + argocdVersion},
			Edits:     withoutInArgoCD(),
		},
		// Vault's own build tag minimal leaves out the plugins for clouds.
		stepVault: {Module: "tools/vault", Packages: own, Tags: []string{"minimal"}},
		stepAPISIX: {
			Module: "tools/apisix", Packages: []string{"./controller", "./gateway", "./keycloak"}, Variables: delays(),
		},
		stepHTTPBin: {Module: "tools/httpbin",
			Packages: []string{"github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin"}},
		stepGoRest:   {Module: "../../examples/go-rest", Packages: own},
		stepCertWait: {Module: "../../tools/cert-wait", Packages: own},
		stepPause:    {Module: "tools/pause", Packages: own},
		stepServer:   {Module: "tools/testserver", Packages: own},
	}
	for name := range pluginVersions {
		all[pluginPrefix+name] = gobuild.Command{Module: filepath.Join("plugins", name),
			Packages: own, Output: pluginPrefix + name}
	}
	all[pluginPrefix+"kubernetes"] = kubernetesPlugin()
	return all
}

// DelaysVariable is the environment variable that turns off the stand-ins' artificial delays
// (tools/apisix/delays). With the value "zero", the lab builds stand-ins without delays into a
// separate bundle.
const DelaysVariable = "STRATA_LAB_DELAYS"

// NoDelays reports whether DelaysVariable is "zero".
func NoDelays() bool { return os.Getenv(DelaysVariable) == "zero" }

func delays() []string {
	if !NoDelays() {
		return nil
	}
	return []string{"strata/tests/lab/tools/apisix/delays.Scale=0"}
}

// commandStep returns the step that compiles a command.
func commandStep(lab, name string) build.Step {
	command := commands()[name]
	command.Module = filepath.Join(lab, command.Module)
	return build.Step{
		Name: name,
		Key:  command.Key,
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			return command.Build(ctx, out, log)
		},
	}
}

// k3sVariables returns the linker variables of the k3s stand-in: its Kubernetes version, and the
// images that it deploys. Helm compares the version with each chart's kubeVersion.
func k3sVariables() []string {
	const server, client = "k8s.io/component-base/version.", "k8s.io/client-go/pkg/version."
	var variables []string
	major, rest, _ := strings.Cut(strings.TrimPrefix(k3sVersion, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	for _, prefix := range []string{server, client} {
		variables = append(variables, prefix+"gitVersion="+k3sVersion, prefix+"gitMajor="+major,
			prefix+"gitMinor="+minor)
	}
	const images = "strata/tests/lab/k3s/internal/server."
	return append(variables, server+"gitTreeState=clean",
		images+"PauseImage="+pauseImage, images+"CoreDNSImage="+coreDNSImage, images+"MetricsImage="+metricsImage)
}
