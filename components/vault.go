package components

import (
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions"
	"strata/actions/cluster/vault"
	"strata/actions/verb"
	"strata/config"
	"strata/health"
	"strata/health/claim"
	vaultgate "strata/health/vault"
	"strata/internal/pulumi/join"
	"strata/internal/pulumi/self"
)

// VaultArgs configures Vault.
type VaultArgs struct {
	Layer
	// Config is the section strata:vault, validated.
	Config config.Vault
	// Values are the chart's values, if another resource computes them. Config.Values must then be
	// empty. Optional.
	Values pulumi.MapInput
	// Issuing configures how Vault signs certificates.
	Issuing vault.Issuing
	// CA signs Vault's own certificate. Required.
	CA *CA
}

// Vault owns the stack's own Vault, one server with TLS. It is initialised, unsealed, and
// configured to sign certificates.
type Vault struct {
	pulumi.ResourceState
	// Ready passes once Vault is initialised, unsealed and configured.
	Ready *Gate
	// Keys are Vault's unseal keys and root token, in the JSON format of vault.Keys. Secret.
	Keys pulumi.StringOutput `pulumi:"keys"`
}

const (
	vaultName    = "vault"
	vaultPort    = 8200
	vaultService = vaultName + "." + vaultName + ".svc"
	// vaultInternal is the headless Service that the chart creates for Vault's Pods.
	vaultInternal = "vault-internal"
	vaultTLS      = "vault-tls"
	// vaultCertificateLifetime is five years, because Vault reads its certificate only when it
	// starts.
	vaultCertificateLifetime = "43800h0m0s"
)

// vaultLayer holds the values that the steps of NewVault share.
type vaultLayer struct {
	*Vault
	layer
	args *VaultArgs
	// revision changes when Vault's chart or the user's values of the chart change. Then the
	// commands that initialise and configure Vault run again, because Vault's new Pod is sealed
	// when it starts.
	revision    pulumi.StringInput
	certificate *Certificate
	release     release
	stored      pulumi.Resource // passes once the volume of Vault's data is bound
}

// NewVault registers Vault. The steps that initialise and unseal it do not wait for a Ready Pod,
// because Vault's Pod is Ready only after it is unsealed.
func NewVault(
	ctx *pulumi.Context, name string, args *VaultArgs, opts ...pulumi.ResourceOption,
) (*Vault, error) {
	v := &vaultLayer{Vault: &Vault{}, args: args}
	v.layer = layer{
		Layer: args.Layer, ctx: ctx, parent: v.Vault, name: name, title: vaultName,
		space:  vaultName,
		policy: layerPolicy{pods: instanceLabel(vaultName), from: certManagerNamespace},
		limit:  args.Timeouts.Vault, limitKey: "strata:timeouts.vault",
	}
	return v.Vault, v.register(tokenOf("vault", "Vault"), opts, v.install, v.open)
}

// install registers the namespace, the server's certificate and the release.
func (v *vaultLayer) install() error {
	if err := v.newNamespace(v.chartValues(), nil, v.After...); err != nil {
		return err
	}
	var err error
	v.certificate, err = NewCertificate(v.ctx, v.name+"-certificate", &CertificateArgs{
		Namespace: vaultName, Secret: vaultTLS,
		DNSNames: []string{vaultService, vaultName + "-0." + vaultInternal},
		Signer:   v.args.CA.Signer,
		Lifetime: vaultCertificateLifetime, Cluster: v.args.Cluster, Timeouts: v.args.Timeouts,
		Layer: vaultName,
		After: []pulumi.Resource{v.args.CA.Ready, v.namespace},
	}, pulumi.Parent(v))
	if err != nil {
		return err
	}
	v.release, err = v.newRelease(releaseArgs{
		name: vaultName, artifact: config.ArtifactVaultChart, values: vaultValues(v.args.Config),
		own: v.chartValues(),
	}, v.certificate.Ready)
	if err != nil {
		return err
	}
	v.revision = v.release.revision()
	return v.volume()
}

func (v *vaultLayer) chartValues() userValues {
	return v.userValues(config.ArtifactVaultChart, v.args.Config.Values, v.args.Values)
}

// volume registers the gate of Vault's volume claim and stores it in stored, if storage is
// persistent. The gate reports a missing StorageClass, for which Kubernetes would only report an
// unschedulable Pod.
func (v *vaultLayer) volume() error {
	v.stored = v.release.object
	if !*v.args.Config.Storage.Persistent {
		return nil
	}
	gate, err := v.gate("volume", gateArgs{Spec: health.Spec{
		Body: claim.Spec{Namespace: vaultName, Name: "data-" + vaultName + "-0",
			ClassKey: "strata:vault.storage.class"},
	}}, v.release.object)
	if err != nil {
		return err
	}
	v.stored = gate
	return nil
}

// open registers the commands that initialise, unseal and configure Vault, and the gate Ready.
// Vault returns its keys only when it is initialised, so the configure command gets them from the
// init command's output.
func (v *vaultLayer) open() error {
	initialise, err := v.step("init", vault.Initialise, nil, pulumi.StringMap{}, v.stored)
	if err != nil {
		return err
	}
	v.Keys = pulumi.ToSecret(initialise.Stdout).(pulumi.StringOutput)
	configure, err := v.step("configure", vault.Prepare, &v.args.Issuing,
		pulumi.StringMap{self.VaultKeys: v.Keys}, initialise)
	if err != nil {
		return err
	}
	v.Ready, err = v.gate("gate", gateArgs{Spec: health.Spec{
		Releases: []string{v.release.id},
		Body: vaultgate.Spec{Namespace: vaultName, Pod: vaultName + "-0", Port: vaultPort,
			Workload: vaultName + "/StatefulSet/" + vaultName},
	}, Revision: v.revision}, configure)
	return err
}

// step registers a command that uses Vault's API. The step init gets its previous output, which has
// the keys, so that a repeated run can print them again.
func (v *vaultLayer) step(
	does string, runs *verb.Verb[vault.Input], issuing *vault.Issuing, env pulumi.StringMap,
	after pulumi.Resource,
) (*local.Command, error) {
	input := join.Two(v.args.CA.Certificate, v.revision.ToStringOutput(),
		func(ca, revision string) vault.Input {
			return vault.Input{
				Server: vault.Server{Namespace: vaultName, Pod: vaultName + "-0", Port: vaultPort,
					Name: vaultService, CA: ca},
				Issuing: issuing, Revision: revision, Timeout: v.args.Timeouts.Vault,
			}
		})
	env[self.Kubeconfig] = v.args.Cluster.Kubeconfig
	command := actions.CommandOf(runs, input, env)
	command.AddPreviousOutputInEnv = pulumi.Bool(does == "init")
	opts := append(childOf(v, after), v.args.Cluster.deletedWith())
	if err := registerAttempt(v.ctx, v.name+"-"+does, command, opts); err != nil {
		return nil, fmt.Errorf("%s: %w", does, err)
	}
	made, err := local.NewCommand(v.ctx, v.name+"-"+does, command,
		append(opts, customTimeouts(v.args.Timeouts.Vault),
			pulumi.AdditionalSecretOutputs([]string{"stdout"}))...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", does, err)
	}
	return made, nil
}
