package server

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"

	"strata/tests/lab/plugins/kubernetes/cluster"
	"strata/tests/lab/plugins/kubernetes/release"
)

// Server implements the provider protocol for one configured cluster.
type Server struct {
	pulumirpc.UnimplementedResourceProviderServer

	host    *provider.HostClient
	version string
	// ctx ends when the engine cancels.
	ctx    context.Context
	cancel context.CancelFunc

	settings settings
	// cluster is nil while unreachable says why.
	cluster     *cluster.Cluster
	unreachable string
	releases    *release.Handler
}

// New returns an unconfigured server.
func New(host *provider.HostClient, version string) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	return &Server{host: host, version: version, ctx: ctx, cancel: cancel}
}

// GetPluginInfo tells the version.
func (s *Server) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: s.version}, nil
}

// Cancel ends every wait; what was created stays.
func (s *Server) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	s.cancel()
	return &emptypb.Empty{}, nil
}

// GetSchema names no resource: every kind of the API server is one.
func (s *Server) GetSchema(
	context.Context, *pulumirpc.GetSchemaRequest,
) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: fmt.Sprintf(packageSchema, s.version)}, nil
}

const packageSchema = `{"name":"kubernetes","version":%q,"resources":{
"kubernetes:helm.sh/v3:Release":{"inputProperties":{"chart":{"type":"string"}},"requiredInputs":["chart"]}}}`

// reachable is the error of every operation without a cluster.
func (s *Server) reachable() error {
	if s.unreachable == "" {
		return nil
	}
	return fmt.Errorf("configured Kubernetes cluster is unreachable: %s", s.unreachable)
}

// status sets the line that the engine shows beside the resource. Losing one
// changes nothing, so its error is dropped.
func (s *Server) status(urn resource.URN) func(string) {
	return func(message string) { _ = s.host.LogStatus(s.ctx, diag.Info, urn, message) }
}

func (s *Server) log(severity diag.Severity, urn resource.URN) func(string) {
	return func(message string) { _ = s.host.Log(s.ctx, severity, urn, message) }
}

func isRelease(urn resource.URN) bool { return urn.Type() == release.Type }
