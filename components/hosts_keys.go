package components

import (
	"fmt"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"golang.org/x/crypto/ssh"

	"strata/actions"
	"strata/actions/hosts/sshkey"
	"strata/actions/verb"
)

// generatedKey registers a command that generates an SSH private key once, and returns the key in
// PEM. Secret.
func generatedKey(ctx *pulumi.Context, hosts *Hosts, name string) (pulumi.StringOutput, error) {
	keygen := actions.Command(sshkey.Generate, verb.None{}, nil)
	keygen.Logging = local.LoggingNone // it prints the key
	key, err := local.NewCommand(ctx, name, keygen,
		append(childOf(hosts), once(), pulumi.AdditionalSecretOutputs([]string{"stdout"}))...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return pulumi.ToSecret(key.Stdout).(pulumi.StringOutput), nil
}

// publicHalf returns the public key of a private key, in authorized_keys format. Not secret.
func publicHalf(private pulumi.StringOutput) pulumi.StringOutput {
	return pulumi.Unsecret(private.ApplyT(authorizedKey).(pulumi.StringOutput)).(pulumi.StringOutput)
}

// authorizedKey returns the public key of a PEM private key, in authorized_keys format.
func authorizedKey(private string) (string, error) {
	signer, err := ssh.ParsePrivateKey([]byte(private))
	if err != nil {
		return "", fmt.Errorf("generated ssh key: %w", err)
	}
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey())), nil
}
