package components

import (
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// secretArgs configures an Opaque Secret.
type secretArgs struct {
	name, namespace string
	// labels are the Secret's labels. Optional.
	labels pulumi.StringMap
	// data are the values by key, not in base64. The caller marks values that the state must
	// encrypt as secret.
	data object
}

func newSecret(
	ctx *pulumi.Context, cluster *Cluster, name string, args secretArgs,
	opts ...pulumi.ResourceOption,
) (*Object, error) {
	metadata := object{"name": args.name, "namespace": args.namespace}
	if len(args.labels) > 0 {
		metadata["labels"] = args.labels
	}
	return newObject(ctx, cluster, "kubernetes:core/v1:Secret", name, object{
		"apiVersion": "v1", "kind": "Secret",
		"type":     "Opaque",
		"metadata": metadata, "stringData": args.data,
	}, opts...)
}

// newPassword registers a random password of letters and digits, which needs no escaping in a URL,
// a YAML file or a shell. Its Result and its BcryptHash are secret.
func newPassword(
	ctx *pulumi.Context, name string, length int, opts ...pulumi.ResourceOption,
) (*random.RandomPassword, error) {
	return random.NewRandomPassword(ctx, name, &random.RandomPasswordArgs{
		Length: pulumi.Int(length), Special: pulumi.Bool(false),
	}, opts...)
}
