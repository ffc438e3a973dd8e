package plugin

import (
	"context"
	"net"
	"strings"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// engine implements the engine's gRPC service for a plugin, and collects its log lines.
type engine struct {
	pulumirpc.UnimplementedEngineServer

	mu    sync.Mutex
	lines []string
}

func (e *engine) Log(_ context.Context, req *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, req.GetMessage())
	return &emptypb.Empty{}, nil
}

func (e *engine) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.lines, "\n")
}

// serve listens on loopback and returns the address.
func (e *engine) serve() (string, *grpc.Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := grpc.NewServer()
	pulumirpc.RegisterEngineServer(server, e)
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), server, nil
}
