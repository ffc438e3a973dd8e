package components

import (
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/k3s/credential"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/self"
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

// month is the interval at which the upgrade command checks when K3s's certificates expire. K3s
// renews a certificate if it restarts in the certificate's last 90 days.
const month = 30 * 24 * time.Hour

// calendar returns the number of months (30 days each) since 1970.
func (k *k3s) calendar() string { return fmt.Sprint(now(k.ctx).Unix() / int64(month.Seconds())) }
