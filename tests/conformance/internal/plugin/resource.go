package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	rpc "github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Resource is one resource in the engine's state; an empty ID means that it is not there.
type Resource struct {
	Plugin *Plugin
	URN    resource.URN
	ID     string
	// Inputs and State are the values that the engine would store.
	Inputs, State resource.PropertyMap
	// InitErrors are the reasons why the resource exists but is not ready.
	InitErrors []string
	// Timeout is the resource's timeout for every operation, in seconds.
	Timeout float64
	// IgnoreChanges are property paths whose changes are ignored, by the option of that name.
	IgnoreChanges []string
	// ReplaceOnChanges are inputs whose change makes the engine replace the resource, by the option
	// of that name.
	ReplaceOnChanges []string
	// DeleteFirst makes the engine delete the resource before it creates the new one, by the option
	// DeleteBeforeReplace.
	DeleteFirst bool
}

// New returns a resource that does not exist yet.
func New(p *Plugin, token, name string) *Resource {
	return &Resource{Plugin: p, URN: resource.NewURN("test", "conformance", "",
		tokens.Type(token), name)}
}

var options = rpc.MarshalOptions{KeepUnknowns: true, KeepSecrets: true}

func marshal(properties resource.PropertyMap) (*structpb.Struct, error) {
	return rpc.MarshalProperties(properties, options)
}

func unmarshal(fields *structpb.Struct) (resource.PropertyMap, error) {
	return rpc.UnmarshalProperties(fields, options)
}

// Check returns the inputs news with the defaults that the plugin adds.
func (r *Resource) Check(
	ctx context.Context, news resource.PropertyMap,
) (resource.PropertyMap, error) {
	olds, err := marshal(r.Inputs)
	if err != nil {
		return nil, err
	}
	given, err := marshal(news)
	if err != nil {
		return nil, err
	}
	response, err := r.Plugin.Check(ctx, &pulumirpc.CheckRequest{
		Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Olds: olds, News: given, RandomSeed: []byte("conformance-" + r.URN.Name()),
	})
	if err != nil {
		return nil, err
	}
	var failures []string
	for _, failure := range response.GetFailures() {
		failures = append(failures, failure.GetProperty()+": "+failure.GetReason())
	}
	if len(failures) > 0 {
		return nil, errors.New("check: " + strings.Join(failures, "; "))
	}
	return unmarshal(response.GetInputs())
}

// Diff compares checked inputs with the state.
func (r *Resource) Diff(
	ctx context.Context, checked resource.PropertyMap,
) (*pulumirpc.DiffResponse, error) {
	state, err := marshal(r.State)
	if err != nil {
		return nil, err
	}
	inputs, err := marshal(r.Inputs)
	if err != nil {
		return nil, err
	}
	news, err := marshal(checked)
	if err != nil {
		return nil, err
	}
	return r.Plugin.Diff(ctx, &pulumirpc.DiffRequest{
		Id: r.ID, Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Olds: state, OldInputs: inputs, News: news, IgnoreChanges: r.IgnoreChanges,
	})
}

// create creates the resource. It stores the resource even if the resource fails to initialize.
func (r *Resource) create(ctx context.Context, checked resource.PropertyMap) error {
	fields, err := marshal(checked)
	if err != nil {
		return err
	}
	response, err := r.Plugin.Create(ctx, &pulumirpc.CreateRequest{
		Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()), Properties: fields,
		Timeout: r.Timeout,
	})
	if err != nil {
		return r.partial(err, checked)
	}
	r.ID, r.InitErrors = response.GetId(), nil
	return r.store(response.GetProperties(), checked)
}

func (r *Resource) update(ctx context.Context, checked resource.PropertyMap) error {
	state, err := marshal(r.State)
	if err != nil {
		return err
	}
	inputs, err := marshal(r.Inputs)
	if err != nil {
		return err
	}
	news, err := marshal(checked)
	if err != nil {
		return err
	}
	response, err := r.Plugin.Update(ctx, &pulumirpc.UpdateRequest{
		Id: r.ID, Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Olds: state, OldInputs: inputs, News: news, Timeout: r.Timeout,
		IgnoreChanges: r.IgnoreChanges,
	})
	if err != nil {
		return r.partial(err, checked)
	}
	r.InitErrors = nil
	return r.store(response.GetProperties(), checked)
}

// Delete removes the resource from the state if the plugin reports success.
func (r *Resource) Delete(ctx context.Context) error {
	state, err := marshal(r.State)
	if err != nil {
		return err
	}
	inputs, err := marshal(r.Inputs)
	if err != nil {
		return err
	}
	_, err = r.Plugin.Delete(ctx, &pulumirpc.DeleteRequest{
		Id: r.ID, Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Properties: state, OldInputs: inputs, Timeout: r.Timeout,
	})
	if err != nil {
		return r.partial(err, r.Inputs)
	}
	r.ID, r.State, r.Inputs = "", nil, nil
	return nil
}

// Refresh reads the resource into the state, or removes it there if it does not exist.
func (r *Resource) Refresh(ctx context.Context) error {
	state, err := marshal(r.State)
	if err != nil {
		return err
	}
	inputs, err := marshal(r.Inputs)
	if err != nil {
		return err
	}
	response, err := r.Plugin.Read(ctx, &pulumirpc.ReadRequest{
		Id: r.ID, Urn: string(r.URN), Name: r.URN.Name(), Type: string(r.URN.Type()),
		Properties: state, Inputs: inputs,
	})
	if err != nil {
		return r.partial(err, r.Inputs)
	}
	r.ID = response.GetId()
	if r.Inputs, err = unmarshal(response.GetInputs()); err != nil {
		return err
	}
	return r.store(response.GetProperties(), r.Inputs)
}

func (r *Resource) store(fields *structpb.Struct, inputs resource.PropertyMap) error {
	state, err := unmarshal(fields)
	r.State, r.Inputs = state, inputs
	return err
}

// partial stores the state that an initialization error contains, and returns the error.
func (r *Resource) partial(cause error, inputs resource.PropertyMap) error {
	for _, detail := range status.Convert(cause).Details() {
		failed, ok := detail.(*pulumirpc.ErrorResourceInitFailed)
		if !ok {
			continue
		}
		r.ID, r.InitErrors = failed.GetId(), failed.GetReasons()
		if err := r.store(failed.GetProperties(), inputs); err != nil {
			return fmt.Errorf("%w (and its state cannot be read: %w)", cause, err)
		}
	}
	return cause
}
