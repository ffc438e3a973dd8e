// Package dryrun runs a Pulumi program in this process, as in the preview of a new stack. It
// accepts every registration, calls no provider, and leaves the values of providers unknown. It
// lists the resources that a program would have.
//
// The SDK's own mocks do not suffice: they cannot take a secret that is unknown
// (sdk/go/pulumi/mocks.go unmarshals without KeepUnknowns).
package dryrun

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// Registration is one resource as a program registered it.
type Registration struct {
	// Type is the type token, for example kubernetes:core/v1:Namespace. Name is the name in the
	// program.
	Type, Name string
	inputs     *structpb.Struct
}

// Inputs returns the resource's inputs in JSON's types: secrets are plain, and unknown values are
// nil.
func (r Registration) Inputs() (map[string]any, error) {
	inputs, err := plugin.UnmarshalProperties(r.inputs,
		plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true})
	if err != nil {
		return nil, fmt.Errorf("inputs of %s: %w", r.Name, err)
	}
	return inputs.MapRepl(nil, plain), nil
}

// plain returns the JSON form of a secret or an unknown value; false for other values.
func plain(value resource.PropertyValue) (any, bool) {
	switch {
	case value.IsSecret():
		return value.SecretValue().Element.MapRepl(nil, plain), true
	case value.IsComputed(), value.IsOutput():
		return nil, true
	}
	return nil, false
}

// Run runs a program for a stack, and returns its registrations, in order. The error is the
// program's. The program's context has the values of ctx.
func Run(
	ctx context.Context, project, stack string, program pulumi.RunFunc,
) ([]Registration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the SDK speaks to a monitor by gRPC only
	if err != nil {
		return nil, err
	}
	server := grpc.NewServer()
	monitor := &monitor{project: tokens.PackageName(project), stack: tokens.QName(stack)}
	pulumirpc.RegisterResourceMonitorServer(server, monitor)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = register(ctx,
		pulumi.RunInfo{Project: project, Stack: stack, DryRun: true,
			MonitorAddr: listener.Addr().String()}, program)
	server.Stop()
	if stopped := <-served; err == nil {
		err = stopped
	}
	return monitor.registered, err // the server has stopped, so no more registrations come
}

func register(ctx context.Context, info pulumi.RunInfo, program pulumi.RunFunc) error {
	run, err := pulumi.NewContext(ctx, info)
	if err != nil {
		return err
	}
	defer func() { _ = run.Close() }()
	return pulumi.RunWithContext(run, program)
}

// monitor accepts each registration. It refuses all other requests of the program, for example
// invokes of provider functions.
type monitor struct {
	pulumirpc.UnimplementedResourceMonitorServer
	project tokens.PackageName
	stack   tokens.QName

	mutex      sync.Mutex
	registered []Registration
}

// SupportsFeature reports the engine's features, except values that carry their dependencies, which
// dryrun does not follow.
func (*monitor) SupportsFeature(
	_ context.Context, in *pulumirpc.SupportsFeatureRequest,
) (*pulumirpc.SupportsFeatureResponse, error) {
	return &pulumirpc.SupportsFeatureResponse{HasSupport: in.GetId() != "outputValues"}, nil
}

// RegisterResource gives a resource its URN; its inputs become its state.
func (m *monitor) RegisterResource(
	_ context.Context, in *pulumirpc.RegisterResourceRequest,
) (*pulumirpc.RegisterResourceResponse, error) {
	var parent tokens.Type
	if urn := resource.URN(in.GetParent()); urn != "" &&
		urn.QualifiedType() != resource.RootStackType {
		parent = urn.QualifiedType()
	}
	m.mutex.Lock()
	m.registered = append(m.registered, Registration{Type: in.GetType(), Name: in.GetName(),
		inputs: in.GetObject()})
	m.mutex.Unlock()
	urn := resource.NewURN(m.stack, m.project, parent, tokens.Type(in.GetType()), in.GetName())
	return &pulumirpc.RegisterResourceResponse{Urn: string(urn), Object: in.GetObject()}, nil
}

// RegisterResourceOutputs ignores a component's outputs.
func (*monitor) RegisterResourceOutputs(
	context.Context, *pulumirpc.RegisterResourceOutputsRequest,
) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}
