package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// RandomID is the resource random:index/randomId:RandomId.
type RandomID struct{}

// IDArgs are the inputs of a RandomId.
type IDArgs struct {
	// ByteLength is the number of random bytes, at least 1.
	ByteLength int `pulumi:"byteLength"`
	// Prefix is put before every output, unchanged.
	Prefix *string `pulumi:"prefix,optional"`
	// Keepers are arbitrary values. A changed value creates a new id.
	Keepers *map[string]string `pulumi:"keepers,optional"`
}

// IDState is the state that the engine stores for a RandomId: the same bytes in four encodings.
type IDState struct {
	IDArgs
	B64Std string `pulumi:"b64Std"`
	B64URL string `pulumi:"b64Url"`
	Dec    string `pulumi:"dec"`
	Hex    string `pulumi:"hex"`
}

// Annotate sets the official plugin's type token.
func (r *RandomID) Annotate(a infer.Annotator) {
	a.SetToken("index/randomId", "RandomId")
}

// Check rejects a byteLength below 1.
func (*RandomID) Check(
	ctx context.Context, req infer.CheckRequest,
) (infer.CheckResponse[IDArgs], error) {
	args, failures, err := infer.DefaultCheck[IDArgs](ctx, req.NewInputs)
	if err == nil && len(failures) == 0 && !property.New(req.NewInputs).HasComputed() && args.ByteLength < 1 {
		failures = append(failures, p.CheckFailure{
			Property: "byteLength", Reason: fmt.Sprintf("must be at least 1, got %d", args.ByteLength),
		})
	}
	return infer.CheckResponse[IDArgs]{Inputs: args, Failures: failures}, err
}

// Create draws the random bytes. The resource's id is their base64 URL encoding, without the
// prefix.
func (*RandomID) Create(
	_ context.Context, req infer.CreateRequest[IDArgs],
) (infer.CreateResponse[IDState], error) {
	state := IDState{IDArgs: req.Inputs}
	if req.DryRun {
		return infer.CreateResponse[IDState]{Output: state}, nil
	}
	random := make([]byte, req.Inputs.ByteLength)
	if _, err := rand.Read(random); err != nil {
		return infer.CreateResponse[IDState]{Output: state}, fmt.Errorf("reading the system's randomness: %w", err)
	}
	prefix := ""
	if req.Inputs.Prefix != nil {
		prefix = *req.Inputs.Prefix
	}
	id := base64.RawURLEncoding.EncodeToString(random)
	state.B64URL = prefix + id
	state.B64Std = prefix + base64.StdEncoding.EncodeToString(random)
	state.Hex = prefix + hex.EncodeToString(random)
	state.Dec = prefix + new(big.Int).SetBytes(random).String()
	return infer.CreateResponse[IDState]{ID: id, Output: state}, nil
}
