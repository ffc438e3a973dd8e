package components

import (
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// secretArgs configures an Opaque Secret.
type secretArgs struct {
	name, namespace string
	// labels are optional.
	labels pulumi.StringMap
	// data is plain text by key. The caller marks the values that must not be readable in the state
	// as secret.
	data pulumi.Map
}

// newSecret registers an Opaque Secret of the cluster.
func newSecret(
	ctx *pulumi.Context, cluster *Cluster, name string, args secretArgs,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	metadata := pulumi.Map{"name": pulumi.String(args.name),
		"namespace": pulumi.String(args.namespace)}
	if len(args.labels) > 0 {
		metadata["labels"] = args.labels
	}
	return newObject(ctx, cluster, "kubernetes:core/v1:Secret", name, pulumi.Map{
		"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Secret"),
		"type":     pulumi.String("Opaque"),
		"metadata": metadata, "stringData": args.data,
	}, opts...)
}

// newPassword registers a generated password of letters and digits only, which needs no escaping in
// a URL, a YAML file or a shell. Its Result and its BcryptHash are secret.
func newPassword(
	ctx *pulumi.Context, name string, length int, opts ...pulumi.ResourceOption,
) (*random.RandomPassword, error) {
	return random.NewRandomPassword(ctx, name, &random.RandomPasswordArgs{
		Length: pulumi.Int(length), Special: pulumi.Bool(false),
	}, opts...)
}
