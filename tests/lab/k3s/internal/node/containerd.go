package node

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"text/template"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/apimachinery/pkg/util/wait"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

//go:embed containerd.toml.tmpl
var containerdTemplate string

// tools are Debian's container programs that K3s ships inside its binary, linked into
// data/current/bin, K3s's own place.
var tools = []string{"containerd", "runc", "ctr", "crictl"}

// shim is copied there instead: containerd resolves links, and k3s-killall.sh finds shims by this
// path.
const shim = "containerd-shim-runc-v2"

func (c *Config) binDir() string { return filepath.Join(c.DataDir, "data", "current", "bin") }

func (c *Config) linkTools() error {
	if err := os.MkdirAll(c.binDir(), 0o755); err != nil {
		return err
	}
	for _, tool := range tools {
		link := filepath.Join(c.binDir(), tool)
		path, err := exec.LookPath(tool)
		if err != nil || filepath.Dir(path) == c.binDir() {
			continue // crictl is not in Debian; what containerd needs is missed when it starts
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Base(real) == "k3s" {
			continue // /usr/local/bin/ctr is a link to k3s itself
		}
		if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.Symlink(path, link); err != nil {
			return err
		}
	}
	return c.copyShim()
}

// copyShim writes beside the old file and renames, because shims of an earlier run may still
// execute it.
func (c *Config) copyShim() error {
	source := filepath.Join("/usr/bin", shim)
	target := filepath.Join(c.binDir(), shim)
	data, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("containerd is not installed in this machine: %w", err)
	}
	if err := os.WriteFile(target+".new", data, 0o755); err != nil {
		return err
	}
	return os.Rename(target+".new", target)
}

// startContainerd writes the configuration, starts the child and waits until it serves.
func (c *Config) startContainerd(ctx context.Context) error {
	if err := c.linkTools(); err != nil {
		return err
	}
	if err := c.writeContainerdConfig(); err != nil {
		return err
	}
	for _, dir := range []string{filepath.Dir(Socket), c.agentPath("containerd"), c.agentPath("etc/cni/net.d")} {
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return err
		}
	}
	log, err := os.OpenFile(c.agentPath("containerd/containerd.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	args := []string{"-c", c.agentPath("etc/containerd/config.toml")}
	logrus.Infof("Running containerd %v", args)
	go c.runContainerd(ctx, args, log)
	return waitForService(ctx, Socket)
}

func (c *Config) runContainerd(ctx context.Context, args []string, log *os.File) {
	// The death signal is tied to the thread that starts the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer log.Close()
	cmd := exec.Command(filepath.Join(c.binDir(), "containerd"), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "PATH="+c.binDir()+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	if ctx.Err() == nil {
		logrus.Fatalf("containerd exited: %v", err)
	}
}

func (c *Config) writeContainerdConfig() error {
	parsed, err := template.New("config.toml").Parse(containerdTemplate)
	if err != nil {
		return err
	}
	registries, err := readRegistries(c.Registries)
	if err != nil {
		return fmt.Errorf("failed to get private registry configuration: %w", err)
	}
	hosts := c.agentPath("etc/containerd/certs.d")
	if err := registries.writeHosts(hosts); err != nil {
		return err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{
		"Hosts": hosts, "Registries": registries.Configs,
		"Root": c.agentPath("containerd"), "Socket": Socket, "PauseImage": c.PauseImage,
		"CNIConf": c.agentPath("etc/cni/net.d"), "CNIBin": "/usr/lib/cni",
		"RestrictOOM": !mayLowerOOMScore(),
	})
	if err != nil {
		return err
	}
	file := c.agentPath("etc/containerd/config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o600)
}

// mayLowerOOMScore tells whether runc may give a container a lower oom_score_adj than ours. Where
// the capability is missing, runc fails unless containerd is told to restrict the value.
func mayLowerOOMScore() bool {
	const file = "/proc/self/oom_score_adj"
	old, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	if err := os.WriteFile(file, []byte("-998"), 0o644); err != nil {
		return false
	}
	return os.WriteFile(file, bytes.TrimSpace(old), 0o644) == nil
}

// waitForService waits as K3s does, for an answer of the CRI service: the socket is open while
// containerd still recovers its state, and a kubelet that asks then ends with "server is not
// initialized yet" (k3s pkg/agent/cri WaitForService).
func waitForService(ctx context.Context, socket string) error {
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	service := runtimeapi.NewRuntimeServiceClient(connection)
	var last error
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		_, last = service.Version(ctx, &runtimeapi.VersionRequest{Version: "0.1.0"})
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("containerd does not serve at %s: %w", socket, last)
	}
	logrus.Info("containerd is now running")
	return nil
}
