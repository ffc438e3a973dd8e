package statefulset

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
)

// Input is the input of Unblock.
type Input struct {
	Namespace string `json:"namespace"`
	// Revision has no effect on the result; a change of it makes the command run again.
	Revision string `json:"revision"`
	// StatefulSet is the name of the StatefulSet.
	StatefulSet string `json:"statefulSet"`
	// Timeout bounds the step.
	Timeout metav1.Duration `json:"timeout"`
}

// Unblock deletes the broken Pods that block the rollout of a StatefulSet.
var Unblock = verb.New(func(ctx context.Context, call verb.Call, input Input) error {
	client, err := call.Client()
	if err != nil {
		return err
	}
	return unblock(ctx, client, input.Namespace, input.StatefulSet, call.Stderr)
})
