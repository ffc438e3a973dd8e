package gatewayclass

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
)

// Input is the input of Release. Pulumi's state stores it, so its JSON keys must not change.
type Input struct {
	// Class is the GatewayClass's name. Finalizer is the finalizer that its controller sets.
	Class     string `json:"class"`
	Finalizer string `json:"finalizer"`
	// Timeout bounds the deletion of the class.
	Timeout metav1.Duration `json:"timeout"`
}

// Release deletes a GatewayClass. It removes the finalizer itself if no controller does.
var Release = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	return release(ctx, client, input.Class, input.Finalizer, call.Stderr)
})
