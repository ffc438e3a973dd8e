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

// tools are the container programs that K3s ships in its binary. The lab takes them from Debian,
// and links them into data/current/bin, where K3s has them.
var tools = []string{"containerd", "runc", "ctr", "crictl"}

// shim is copied into data/current/bin instead of linked. containerd resolves links, and
// k3s-killall.sh finds shims by this path.
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
			continue // Debian has no crictl; a missing containerd fails when it is started
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

// copyShim writes a temporary file and renames it, because shims of an earlier run may still
// execute the old file.
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

// startContainerd writes containerd's configuration, starts containerd as a child process, and
// waits until it serves.
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
	// Keep the thread: the kernel kills the child when the thread that started the child ends.
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

// mayLowerOOMScore reports whether this process may lower oom_score_adj. Without the capability,
// runc fails unless containerd sets restrict_oom_score_adj.
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

// waitForService waits for a response of the CRI service, as K3s does (pkg/agent/cri,
// WaitForService). containerd's socket is open while containerd still recovers its state. A kubelet
// that connects too early ends with "server is not initialized yet".
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
