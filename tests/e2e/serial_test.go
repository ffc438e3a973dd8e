package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serial is the program in tests/bench/serial. It runs a serial deployment script with kubectl and
// Helm: all of it, or single steps.
type serial struct {
	*stack
	program, kubeconfig string
	// export is the export of a stack. The program uses that stack's releases, objects and gates.
	export []byte
}

// buildSerial builds the program once. It has the build flags of the lab's tools, to share compiled
// packages with them.
var buildSerial = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "serial-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "serial"), ".")
	cmd.Dir, cmd.Env = filepath.Join(root, "tests/bench/serial"),
		append(os.Environ(), "CGO_ENABLED=0",
			"GOFLAGS=-buildvcs=false -trimpath -gcflags=all=-dwarf=false")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", &exec.Error{Name: "go build tests/bench/serial: " + string(output), Err: err}
	}
	return filepath.Join(dir, "serial"), nil
})

// exported returns the export of the present stack, with its secrets.
func (s *stack) exported() []byte {
	return []byte(s.must(s.run("pulumi", "stack", "export", "--stack", s.name,
		"--show-secrets")).output)
}

// serially returns the serial program for the stack's cluster.
func (s *stack) serially(t *testing.T, export []byte) serial {
	program, err := buildSerial()
	require.NoError(t, err)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(s.output("kubeconfig")), 0o600))
	return serial{s, program, kubeconfig, export}
}

// does runs one of the program's subcommands.
func (s serial) does(args ...string) result {
	definitions := strings.Join([]string{s.definitions("gateway-api"),
		s.definitions("apisix")}, ",")
	cmd := s.command(root, s.program, append([]string{
		"--k3s", filepath.Join(bundle, "k3s/k3s"), "--kubeconfig", s.kubeconfig, "--project", root,
		"--definitions", definitions,
	}, args...)...)
	cmd.Stdin = bytes.NewReader(s.export)
	return s.finish(cmd)
}

// kubectl runs kubectl.
func (s serial) kubectl(args ...string) result {
	return s.finish(s.command(root, filepath.Join(bundle, "k3s/k3s"),
		append([]string{"kubectl", "--kubeconfig", s.kubeconfig}, args...)...))
}

// definitions returns the path of the bundle's file with an add-on's CRDs.
func (s serial) definitions(name string) string {
	files, err := filepath.Glob(filepath.Join(bundle, "crds", name+"-*.yaml"))
	require.NoError(s.t, err)
	require.Len(s.t, files, 1)
	return files[0]
}

// gateWebhook runs the command of examples/gate-webhook.
func (s serial) gateWebhook() result {
	return s.run(strata, "gate", "webhook", "apisix-ingress-controller-webhook", "--kubeconfig",
		s.kubeconfig,
		"--service", "apisix/apisix-ingress-controller-webhook-svc", "--ca-secret",
		"apisix-ingress-controller-webhook-cert",
		"--accept", "examples/gate-webhook/gatewayproxy.yaml", "--workload",
		"apisix/Deployment/apisix-ingress-controller")
}

// webhookHold is the name of a Secret. While it exists, the lab's APISIX controller does not open
// its webhook (tests/lab/tools/apisix/controller/hold.go).
const webhookHold = "strata-test-hold-webhook"

// losesTheProxyRace installs APISIX's controller several times. Each time it applies a GatewayProxy
// once the controller's Pod is Ready, which must fail. After the stack's gate and the same gate as
// a subcommand (examples/gate-webhook) have opened, it must succeed. The upstream controller opens
// its webhook before its Pod is Ready (tests/lab/originals.md), so with that one the story does not
// wait for the Pod. export is that of a stack whose APISIX is no longer in the cluster. gaps has
// the seconds from each first apply until both gates are open. If held is true, the lab's webhook
// opens only after the failure. Otherwise it opens after as many seconds as upstream's.
func (s *stack) losesTheProxyRace(
	t *testing.T, export []byte, times int, held bool,
) (gaps []float64) {
	script, late := s.serially(t, export), isTheLabs(t, labsAPISIXController)
	held = held && late
	s.must(script.does("apply", "apisix-namespace"))
	for range times {
		if held {
			s.must(script.kubectl("-n", "apisix", "create", "secret", "generic", webhookHold))
		}
		s.must(script.does("install", "apisix-controller-release"))
		var open, example result
		var gates sync.WaitGroup
		gates.Go(func() { open = script.does("gate", "apisix-webhook") })
		gates.Go(func() { example = script.gateWebhook() })
		if late {
			s.must(script.kubectl("-n", "apisix", "rollout", "status",
				"deployment/apisix-ingress-controller", "--timeout="+patient))
		}
		began := time.Now()
		refused := script.does("apply", "apisix-proxy")
		ready := script.kubectl("-n", "apisix", "wait", "pod", "--all", "--for=condition=Ready",
			"--timeout=0")
		if held {
			s.must(script.kubectl("-n", "apisix", "delete", "secret", webhookHold))
		}
		gates.Wait()
		gaps = append(gaps, time.Since(began).Seconds())
		admitted := script.does("apply", "apisix-proxy")

		if late {
			s.must(ready)
		}
		require.Error(t, refused.err, "its webhook does not listen yet")
		assert.Contains(t, refused.output, "failed calling webhook")
		assert.Regexp(t, "connection refused|no endpoints available|code 502", refused.output)
		s.must(open)
		s.must(example)
		s.must(admitted)
		s.must(script.kubectl("-n", "apisix", "delete", "gatewayproxy", "apisix-config"))
		s.must(script.does("uninstall", "apisix-controller-release"))
	}
	s.must(script.kubectl("delete", "namespace", "apisix"))
	return gaps
}
