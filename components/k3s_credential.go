package components

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/client-go/tools/clientcmd"

	"strata/actions"
	"strata/actions/k3s/credential"
	"strata/actions/stack/teardown"
	"strata/config"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/self"
	"strata/internal/ssh/tunnel"
)

// issueCredential registers the command that issues the stack's client certificates, and sets
// Kubeconfig and ReaderKubeconfig. The input contains a number that advances with the calendar, so
// a preview shows when new certificates are due. If only the servers' addresses change, the command
// prints its previous output. A renewal replaces nothing: the command and the resources that use
// the kubeconfig are updated in place, and the provider keeps its clusterIdentifier
// (docs/adr/0027).
func (k *k3s) issueCredential() error {
	limit := k.args.Timeouts.API
	lifetime := k.args.Config.ClientCertificateLifetime
	input := inputOf(k.servers, k.args.Hosts.Identity.owner,
		func(hosts []health.Host, owner k3shost.Owner) credential.Request {
			request := credential.Request{
				Timeout: limit, User: credential.User(k.ctx.Stack(),
					k.args.Config.KubeconfigGeneration), Lifetime: lifetime,
				Generation: credential.Generation(now(k.ctx), lifetime.Duration), Owner: &owner,
				Reader: credential.ReaderDigest(),
			}
			for _, host := range hosts {
				request.Servers = append(request.Servers, host.Target)
			}
			return request
		})
	// The cluster's identifier is in the environment so that a new cluster, which has a new CA,
	// gets new certificates.
	command := actions.CommandOf(credential.Provide, input, pulumi.StringMap{
		self.SSHKey: keyrings(k.servers), self.Cluster: k.identity.Hex,
	})
	command.AddPreviousOutputInEnv = pulumi.Bool(true)
	issued, err := local.NewCommand(k.ctx, k.name+"-credential", command,
		append(childOf(k, k.joined[0]), customTimeouts(limit),
			pulumi.AdditionalSecretOutputs([]string{"stdout"}))...)
	if err != nil {
		return err
	}
	k.Kubeconfig = k.kubeconfigIn(issued, func(i *credential.Issued) string { return i.Kubeconfig })
	k.ReaderKubeconfig = k.kubeconfigIn(issued,
		func(i *credential.Issued) string { return i.Reader })
	return nil
}

// kubeconfigIn returns the kubeconfig that one selects from the command's output, with Endpoint as
// the server. Secret.
func (k *k3s) kubeconfigIn(
	issued *local.Command, one func(*credential.Issued) string,
) pulumi.StringOutput {
	return pulumi.ToSecret(issued.Stdout.ApplyT(func(text string) (string, error) {
		parsed, err := credential.Parse(text)
		switch {
		case err != nil:
			return "", fmt.Errorf("certificate of the stack: %w", err)
		case parsed == nil:
			return "", errors.New("certificate of the stack: expected one, found none")
		}
		return rewriteKubeconfig(one(parsed), k.Endpoint, tunnelTo(k.servers))
	})).(pulumi.StringOutput)
}

// rewriteKubeconfig returns the kubeconfig with endpoint as the server, in place of K3s's
// 127.0.0.1. If there is a tunnel, the kubeconfig uses it as the proxy. It returns an error if the
// kubeconfig does not have K3s's server.
func rewriteKubeconfig(kubeconfig, endpoint string, way tunnel.Spec) (string, error) {
	if !strings.Contains(kubeconfig, credential.LocalServer) {
		return "", fmt.Errorf("kubeconfig of the stack: want server %s in it",
			credential.LocalServer)
	}
	kubeconfig = strings.Replace(kubeconfig, credential.LocalServer, endpoint, 1)
	if !way.There() {
		return kubeconfig, nil
	}
	parsed, err := clientcmd.Load([]byte(kubeconfig))
	if err != nil {
		return "", fmt.Errorf("kubeconfig of the stack: %w", err)
	}
	for _, cluster := range parsed.Clusters {
		cluster.ProxyURL = way.URL()
	}
	text, err := clientcmd.Write(*parsed)
	return string(text), err
}

// connect registers the Kubernetes provider, sets Cluster, and registers the hook of args.Connect.
func (k *k3s) connect() error {
	binary, err := k.args.Artifacts.Get(config.ArtifactK3s)
	if err != nil {
		return err
	}
	var upsert pulumi.BoolPtrInput
	if k.args.Connect != nil {
		upsert = pulumi.Bool(true)
	}
	provider, err := newProvider(k.ctx, k.name+"-provider", k.Kubeconfig, k.identity.Hex, upsert,
		childOf(k, k.reached)...)
	if err != nil {
		return err
	}
	k.Cluster = &Cluster{
		objects:  teardown.Objects{},
		Provider: provider, Identity: k.identity, Kubeconfig: k.Kubeconfig,
		Endpoint: pulumi.String(k.Endpoint), Servers: pulumi.ToStringArray(k.endpoints()),
		Hosts:   k.args.Hosts,
		Version: binary.Version, Images: k.args.Artifacts.ImageDigests(), Stable: k.Upgraded,
		NamespaceEnd: k.args.Timeouts.Namespaces,
	}
	if k.args.Connect == nil {
		return nil
	}
	return k.Cluster.ask(k.ctx, k.name+"-adopt", k.endpoints(), k.args.Connect)
}

// month is the interval at which the upgrade command checks when K3s's certificates expire. K3s
// renews a certificate if it restarts in the certificate's last 90 days.
const month = 30 * 24 * time.Hour

// calendar returns the number of months (30 days each) since 1970.
func (k *k3s) calendar() string { return fmt.Sprint(now(k.ctx).Unix() / int64(month.Seconds())) }
