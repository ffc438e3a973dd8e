package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder records the script's operations.
type recorder struct {
	did []string
	// refuses is the number of applies that fail, by object; because is the error's text.
	refuses map[string]int
	because string
}

func (r *recorder) kubectl(_ context.Context, stdin []byte, args ...string) (string, error) {
	r.did = append(r.did, "kubectl "+strings.Join(args, " "))
	var list struct {
		Items []struct{ Name string }
	}
	if stdin == nil {
		return "", nil
	}
	if err := json.Unmarshal(stdin, &list); err != nil {
		return "", err
	}
	for _, item := range list.Items {
		if r.refuses[item.Name] > 0 {
			r.refuses[item.Name]--
			return r.because, errors.New("exit status 1")
		}
		r.did = append(r.did, "applied "+item.Name)
	}
	return "", nil
}

func (r *recorder) install(one release, _ map[string]any) error {
	r.did = append(r.did, "installed "+one.name)
	return nil
}

func (r *recorder) uninstall(release) error { return nil }

func (r *recorder) gate(_ context.Context, _, stdin string, _ map[string]any) error {
	r.did = append(r.did, "asked "+stdin)
	return nil
}

// stack returns a platform with everything that the script installs.
func stack() platform {
	all := platform{"metallb-pool": {"metallb-pool",
		"kubernetes:metallb.io/v1beta1:IPAddressPool", nil}}
	for _, one := range append(script[:len(script):len(script)], validation) {
		for _, name := range one.install {
			all[name] = resource{name, "kubernetes:helm.sh/v3:Release",
				map[string]any{"name": name}}
		}
		for _, names := range [][]string{one.before, one.contested, one.apply} {
			for _, name := range names {
				all[name] = resource{name, "kubernetes:core/v1:ConfigMap",
					map[string]any{"name": name}}
			}
		}
		for _, name := range one.gates {
			all[name] = resource{name, commandToken, map[string]any{"stdin": name}}
		}
	}
	return all
}

func run(t *testing.T, made *recorder) error {
	t.Helper()
	return (&runner{platform: stack(), tools: made, definitions: []string{"gateways.yaml"},
		log: &bytes.Buffer{}}).
		run(t.Context(), append(script[:len(script):len(script)], validation))
}

func TestScriptHasElevenWaitsInOrder(t *testing.T) {
	var lines []string
	number := 0
	for _, one := range script {
		if one.wait > 0 {
			number++
			assert.Equal(t, number, one.wait)
		}
		// Wait 4 is Helm's installation, without a kubectl command that waits.
		assert.True(t, len(one.watch) > 0 || one.wait == 4, "%s waits for nothing", one.what)
		lines = append(lines, one.lines)
	}
	assert.Equal(t, 11, number)
	// These are the lines in the script's description, in their order.
	assert.Equal(t, []string{
		"388-389", "241-242", "202-214", "406-410", "412-416", "418-422", "269-273", "275",
		"462-464",
		"481-482", "521-522", "540-542",
	}, lines)
}

func TestScriptRunsOperationsInOrder(t *testing.T) {
	made := &recorder{}
	require.NoError(t, run(t, made))
	at := func(what string) int {
		for i, did := range made.did {
			if strings.Contains(did, what) {
				return i
			}
		}
		t.Fatalf("no %q in %v", what, made.did)
		return 0
	}
	order := []string{
		"node --all", "installed cert-manager-release", "crd/issuers.cert-manager.io",
		"deployment/cert-manager-webhook", "apply --server-side -f gateways.yaml",
		"installed apisix-controller-release", "applied apisix-proxy", "deployment/apisix ",
		"deployment/apisix-ingress-controller",
		"applied apisix-tls-request", "certificate/apisix-tls", "secret/apisix-tls",
		"applied demo-httpbin", "deployment/httpbin",
		"applied demo-keycloak", "deployment/keycloak", "applied demo-go-rest",
		"deployment/go-rest",
		"gateway/apisix", "asked validation-probes", "asked validation-metrics",
	}
	for i := 1; i < len(order); i++ {
		assert.Less(t, at(order[i-1]), at(order[i]), "%s before %s", order[i-1], order[i])
	}
}

func TestScriptRetriesGatewayProxyWhileWebhookIsDown(t *testing.T) {
	made := &recorder{refuses: map[string]int{"apisix-proxy": 2},
		because: `failed calling webhook "vgatewayproxy-v1alpha1.kb.io": connection refused`}
	require.NoError(t, run(t, made))
	assert.Contains(t, made.did, "applied apisix-proxy")

	made = &recorder{refuses: map[string]int{"apisix-proxy": 1}, because: "GatewayProxy is invalid"}
	require.ErrorContains(t, run(t, made), "GatewayProxy is invalid")
	made = &recorder{refuses: map[string]int{"demo-httpbin": 1}, because: "failed calling webhook"}
	require.ErrorContains(t, run(t, made), "failed calling webhook",
		"only the plan's race is forgiven")
}

func TestScriptWithMissingOrExtraResourceIsRejected(t *testing.T) {
	require.NoError(t, stack().covers(script))
	more := stack()
	more["demo-more"] = resource{"demo-more", "kubernetes:core/v1:ConfigMap", nil}
	require.ErrorContains(t, more.covers(script),
		"demo-more: the stack has it, and no step of the script")
	less := stack()
	delete(less, "demo-realm")
	require.ErrorContains(t, less.covers(script),
		"demo-realm: the script has it 1 times, and in the stack it is there: false")
}

func TestReadExportReturnsSecretsInPlaintext(t *testing.T) {
	const export = `{"deployment": {"resources": [
		{"urn": "urn:pulumi:s::strata::pulumi:pulumi:Stack::s", "type": "pulumi:pulumi:Stack"},
		{"urn": "urn:pulumi:s::strata::strata:apisix:APISIX$kubernetes:helm.sh/v3:Release::apisix-release", "type": "kubernetes:helm.sh/v3:Release",
		 "inputs": {"__defaults": [], "name": "apisix", "namespace": "apisix", "chart": "charts/apisix.tgz", "values": {"keys": [%s]}}}]}}`
	const secret = `{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", %s}`
	all, err := readExport(strings.NewReader(fmt.Sprintf(export,
		fmt.Sprintf(secret, `"plaintext": "\"hunter2\""`))))
	require.NoError(t, err)
	require.Len(t, all, 1)
	one, values := all["apisix-release"].release()
	assert.Equal(t, release{"apisix", "apisix", "charts/apisix.tgz"}, one)
	assert.Equal(t, map[string]any{"keys": []any{"hunter2"}}, values)
	assert.NotContains(t, all["apisix-release"].inputs, "__defaults")

	_, err = readExport(strings.NewReader(fmt.Sprintf(export,
		fmt.Sprintf(secret, `"ciphertext": "v1:x"`))))
	require.ErrorContains(t, err, "export with --show-secrets")
	_, err = readExport(strings.NewReader(`{}`))
	require.ErrorContains(t, err, "no resource of a cluster")
}
