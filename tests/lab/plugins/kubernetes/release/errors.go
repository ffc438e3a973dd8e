package release

import (
	"fmt"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// failedError is a release that exists in the cluster and did not succeed.
type failedError struct {
	release *Release
	cause   error
}

func (e *failedError) Error() string {
	return fmt.Sprintf("failed to become available within allocated timeout. Error: Helm Release %s/%s: %s",
		e.release.Namespace, e.release.Name, e.cause)
}

func (e *failedError) Unwrap() error { return e.cause }

// initFailed makes the engine store the state with its reason.
func initFailed(id string, cause error, state *structpb.Struct) error {
	result, err := status.New(codes.Unknown, cause.Error()).WithDetails(&pulumirpc.ErrorResourceInitFailed{
		Id: id, Properties: state, Reasons: []string{cause.Error()},
	})
	if err != nil {
		return fmt.Errorf("%w (and its state could not be encoded: %w)", cause, err)
	}
	return result.Err()
}
