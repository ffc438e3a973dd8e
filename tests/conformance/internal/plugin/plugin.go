package plugin

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// maxMessage is the engine's limit for the size of a gRPC message, in bytes.
const maxMessage = 400 << 20

// version matches a version after the package's name in a plugin's file name.
var version = regexp.MustCompile(`-v[0-9].*$`)

// Plugin is a running plugin.
type Plugin struct {
	pulumirpc.ResourceProviderClient
	// Version is the version that the plugin reports.
	Version string

	engine  *engine
	server  *grpc.Server
	command *exec.Cmd
	conn    *grpc.ClientConn
}

// Start runs a binary with additional environment variables, and configures the plugin.
func Start(
	ctx context.Context, binary string, environment []string, config resource.PropertyMap,
) (*Plugin, error) {
	p := &Plugin{engine: &engine{}}
	address, server, err := p.engine.serve()
	if err != nil {
		return nil, err
	}
	p.server = server
	if err := p.launch(binary, address, environment); err != nil {
		return nil, err
	}
	if err := p.configure(ctx, config); err != nil {
		p.Stop()
		return nil, fmt.Errorf("configuring %s: %w", binary, err)
	}
	return p, nil
}

func (p *Plugin) launch(binary, engineAddress string, environment []string) error {
	p.command = exec.Command(binary, engineAddress)
	p.command.Env = append(os.Environ(), environment...)
	p.command.Stderr = os.Stderr
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.command.Start(); err != nil {
		return err
	}
	reader := bufio.NewReader(output)
	port, err := reader.ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading the port of %s: %w", binary, err)
	}
	go func() { _, _ = reader.WriteTo(os.Stderr) }()
	p.conn, err = grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		return err
	}
	p.ResourceProviderClient = pulumirpc.NewResourceProviderClient(p.conn)
	return nil
}

// configure configures the plugin as the engine does with a provider resource.
func (p *Plugin) configure(ctx context.Context, config resource.PropertyMap) error {
	info, err := p.GetPluginInfo(ctx, &emptypb.Empty{})
	if err != nil {
		return err
	}
	p.Version = info.GetVersion()
	args, err := marshal(config)
	if err != nil {
		return err
	}
	variables := map[string]string{}
	for key, value := range config {
		if value.IsString() {
			variables[p.name()+":config:"+string(key)] = value.StringValue()
		}
	}
	_, err = p.Configure(ctx, &pulumirpc.ConfigureRequest{
		Variables: variables, //nolint:staticcheck // deprecated, but still sent by the engine
		Args:      args, AcceptSecrets: true, AcceptResources: true,
		SendsOldInputs: true, SendsOldInputsToDelete: true,
	})
	return err
}

// name returns the name of the plugin's package: the file's name without a version, which files in
// a folder of upstream artifacts have.
func (p *Plugin) name() string {
	return strings.TrimPrefix(version.ReplaceAllString(filepath.Base(p.command.Path), ""),
		"pulumi-resource-")
}

// Log returns every line that the plugin has logged so far.
func (p *Plugin) Log() string { return p.engine.text() }

// Stop ends the plugin's process.
func (p *Plugin) Stop() {
	_ = p.conn.Close()
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
	p.server.Stop()
}
