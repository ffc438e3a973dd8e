package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// No registry has these images, and Strata pushes none to an existing cluster. Without a name, a
// Pod would wait for its image until a gate times out.
func TestExistingClusterRequiresNamesOfUnpublishedImages(t *testing.T) {
	const demo = `"demo":true`
	const certificate = `"workloads":[{"name":"shop","image":"a:1","certificate":{}}]`
	const rest = "strata:apps.restImage: is not set, and no public registry has the image of the demo's REST API; " +
		"make it with `strata image go-rest`, give it to the cluster's nodes or to a registry of yours, and name it here"
	const wait = "strata:apps.certWaitImage: is not set, and no public registry has the image " +
		"that workload shop waits for its certificate with; " +
		"make it with `strata image cert-wait`, give it to the cluster's nodes or to a registry of yours, and name it here"
	for name, rule := range map[string]struct{ source, apps, want string }{
		"the demo":                {"upstream", demo, rest},
		"the demo, with a bundle": {"/bundle", demo, rest}, // whose images reach hosts only
		"a certificate":           {"upstream", certificate, wait},
		"both, at once":           {"upstream", demo + "," + certificate, wait + "\n" + rest},
		"the demo, with its image": {"upstream",
			demo + `,"restImage":"localhost/strata/go-rest:1.0.0"`, ""},
		"neither": {"upstream", `"demo":false`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			raw := onCluster("cluster", `{"context":"c","podNetwork":"10.244.0.0/16"}`, "ingress",
				`{"controllers":["apisix"]}`,
				"apps", "{"+rule.apps+"}", "artifacts", `{"source":"`+rule.source+`"}`)
			_, err := config.Load("dev", raw, noEnv)
			if rule.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Equal(t, rule.want, err.Error())
		})
	}
}

// On Strata's own hosts, the images need no registry: the bundle has them or `strata fetch` builds
// them, and nodes get them as archives.
func TestUnpublishedImagesHaveDefaultNamesOnHosts(t *testing.T) {
	load := func(source, apps string) *config.Config {
		raw := good()
		raw["ingress"], raw["apps"], raw["artifacts"] = `{"controllers":["apisix"]}`, apps,
			`{"source":"`+source+`"}`
		cfg, err := config.Load("dev", raw, noEnv)
		require.NoError(t, err)
		return cfg
	}
	const demo = `{"demo":true,"workloads":[{"name":"shop","image":"a:1","certificate":{}}]}`
	bundled := load("/bundle", demo)
	assert.Equal(t, "docker.io/strata/go-rest:1.0.0", bundled.Apps.RestImage,
		"as the bundle's archive calls it")
	assert.Equal(t, "docker.io/strata/cert-wait:1.0.0", bundled.Apps.CertWaitImage)
	assert.Empty(t, builtBy(bundled))

	built := load("upstream", demo)
	assert.Equal(t, "localhost/strata/go-rest:1.0.0", built.Apps.RestImage,
		"a name that no registry can answer to")
	assert.Equal(t, "localhost/strata/cert-wait:1.0.0", built.Apps.CertWaitImage)
	assert.Equal(t, []config.Pin{
		{
			Name: "k3s-images", Version: "go-rest-1.0.0", Arch: "amd64",
			URL: "built:examples/go-rest/go-rest-1.0.0.tar", Key: "strata:apps.restImage",
			For: "apisix-chart",
		},
		{
			Name: "k3s-images", Version: "cert-wait-1.0.0", Arch: "amd64",
			URL: "built:tools/cert-wait/cert-wait-1.0.0.tar",
			Key: "strata:apps.certWaitImage", For: "cert-manager-chart",
		},
	}, builtBy(built))

	assert.Empty(t, builtBy(load("upstream", `{}`)), "nothing needs them")
	assert.Empty(t, builtBy(load("upstream",
		`{"demo":true,"restImage":"registry.acme/go-rest:1"}`)), "a registry has it")
}

// builtBy returns the pins of the images that a configuration needs built.
func builtBy(cfg *config.Config) (built []config.Pin) {
	for _, pin := range cfg.Pins() {
		if _, ok := config.BuiltImage(pin.URL); ok {
			built = append(built, pin)
		}
	}
	return built
}
