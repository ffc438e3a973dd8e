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

// generatedKey registers a private key for the stack, and returns it in PEM. Secret.
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

// publicHalf returns the public half of a private key, in authorized_keys form. It is not secret.
func publicHalf(private pulumi.StringOutput) pulumi.StringOutput {
	return pulumi.Unsecret(private.ApplyT(authorizedKey).(pulumi.StringOutput)).(pulumi.StringOutput)
}

// authorizedKey returns the public half of a private key in PEM, in authorized_keys form.
func authorizedKey(private string) (string, error) {
	signer, err := ssh.ParsePrivateKey([]byte(private))
	if err != nil {
		return "", fmt.Errorf("generated ssh key: %w", err)
	}
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey())), nil
}
