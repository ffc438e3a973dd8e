package server

import (
	"errors"
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"strata/tests/lab/plugins/kubernetes/await"
)

// initFailed is the answer for an object that exists and is not ready: the
// engine stores the state with the reasons and updates it on the next run.
func initFailed(id string, cause error, state, inputs *structpb.Struct) error {
	reasons := []string{cause.Error()}
	var partial *await.Partial
	if errors.As(cause, &partial) {
		reasons = append(reasons, partial.Reasons...)
	}
	result, err := status.New(codes.Unknown, cause.Error()).WithDetails(&pulumirpc.ErrorResourceInitFailed{
		Id: id, Properties: state, Reasons: reasons, Inputs: inputs,
	})
	if err != nil {
		return fmt.Errorf("%w (and its state could not be encoded: %w)", cause, err)
	}
	return result.Err()
}

// alreadyExists adds what can be done about an object that nobody stored.
func alreadyExists(err error) error {
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	return fmt.Errorf("%w\n\nThe resource already exists in the cluster. This can happen when:\n\n"+
		"  - Renaming a Pulumi resource: use an alias to preserve the identity,\n"+
		"    or use deleteBeforeReplace if the resource needs replacement.\n"+
		"  - Managing an existing resource: use a Patch resource (e.g. NamespacePatch)\n"+
		"    to manage specific fields without owning the resource lifecycle.\n"+
		"  - Adopting a resource into Pulumi: use `pulumi import`. Note that\n"+
		"    protected resources (e.g. kube-system) cannot be deleted on destroy.\n"+
		"  - Intentional upsert: set upsertExistingObjects on the provider to allow\n"+
		"    server-side apply to update existing objects on create.", err)
}

// conflict names the field manager of an apply that others' fields refused.
func conflict(err error, manager string) error {
	if !apierrors.IsConflict(err) {
		return err
	}
	return fmt.Errorf("server-side apply field conflict detected\n"+
		"The resource managed by field manager %q had an apply conflict: %w", manager, err)
}
