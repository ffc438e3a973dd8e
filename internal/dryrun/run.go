// Package dryrun registers a Pulumi program in this process, as in the preview of a stack that has nothing yet: every registration is
// accepted, no provider is asked, and what one would add is unknown. It is for what a program would have, and keeps none of it.
//
// The SDK's own mocks do not do: they cannot take a secret that is unknown (sdk/go/pulumi/mocks.go unmarshals without KeepUnknowns).
package dryrun

import (
	"context"
	"net"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Run registers a program for a stack. The error is the program's. Values of ctx are there in the program's context.
func Run(ctx context.Context, project, stack string, program pulumi.RunFunc) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the SDK speaks to a monitor by gRPC only
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	pulumirpc.RegisterResourceMonitorServer(server, &monitor{project: tokens.PackageName(project), stack: tokens.QName(stack)})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	err = register(ctx, pulumi.RunInfo{Project: project, Stack: stack, DryRun: true, MonitorAddr: listener.Addr().String()}, program)
	server.Stop()
	if stopped := <-served; err == nil {
		err = stopped
	}
	return err
}

func register(ctx context.Context, info pulumi.RunInfo, program pulumi.RunFunc) error {
	run, err := pulumi.NewContext(ctx, info)
	if err != nil {
		return err
	}
	defer func() { _ = run.Close() }()
	return pulumi.RunWithContext(run, program)
}

// monitor accepts each registration. What it does not implement is refused; the program must ask no provider for data, for example.
type monitor struct {
	pulumirpc.UnimplementedResourceMonitorServer
	project tokens.PackageName
	stack   tokens.QName
}

// SupportsFeature says what the engine does, but for values that carry their dependencies: none are followed here.
func (*monitor) SupportsFeature(_ context.Context, in *pulumirpc.SupportsFeatureRequest) (*pulumirpc.SupportsFeatureResponse, error) {
	return &pulumirpc.SupportsFeatureResponse{HasSupport: in.GetId() != "outputValues"}, nil
}

// RegisterResource gives a resource its URN; its state is its inputs.
func (m *monitor) RegisterResource(_ context.Context, in *pulumirpc.RegisterResourceRequest) (*pulumirpc.RegisterResourceResponse, error) {
	var parent tokens.Type
	if urn := resource.URN(in.GetParent()); urn != "" && urn.QualifiedType() != resource.RootStackType {
		parent = urn.QualifiedType()
	}
	urn := resource.NewURN(m.stack, m.project, parent, tokens.Type(in.GetType()), in.GetName())
	return &pulumirpc.RegisterResourceResponse{Urn: string(urn), Object: in.GetObject()}, nil
}

// RegisterResourceOutputs drops a component's outputs.
func (*monitor) RegisterResourceOutputs(context.Context, *pulumirpc.RegisterResourceOutputsRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}
