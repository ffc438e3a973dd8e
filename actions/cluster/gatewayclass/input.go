package gatewayclass

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
)

// Input is the input of Release. It lies in states, so its keys stay as they are.
type Input struct {
	// Class is the GatewayClass's name. Finalizer is the finalizer of its controller.
	Class     string `json:"class"`
	Finalizer string `json:"finalizer"`
	// Timeout bounds the release.
	Timeout metav1.Duration `json:"timeout"`
}

// Release deletes a GatewayClass. It removes the finalizer itself if no controller runs any more.
var Release = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	client, err := call.Objects()
	if err != nil {
		return err
	}
	return release(ctx, client, input.Class, input.Finalizer, call.Stderr)
})
