package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/cli"
	"helm.sh/helm/v3/pkg/storage/driver"
)

// helmTimeout bounds each operation of Helm. Five minutes are Helm's default.
const helmTimeout = 5 * time.Minute

// installed runs the tools that are installed on this machine.
type installed struct {
	// k3s is the path of K3s, which contains kubectl; kubeconfig is a file.
	k3s, kubeconfig string
	// project is the folder to which the stack's paths are relative.
	project string
}

func (m installed) kubectl(ctx context.Context, stdin []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, m.k3s,
		append([]string{"kubectl", "--kubeconfig", m.kubeconfig}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// configuration returns Helm's configuration for a namespace, with the request limits (QPS, burst)
// of Helm's command line.
func (m installed) configuration(namespace string) (*action.Configuration, error) {
	settings := cli.New()
	settings.KubeConfig = m.kubeconfig
	settings.SetNamespace(namespace)
	var configuration action.Configuration
	if err := configuration.Init(settings.RESTClientGetter(), namespace, "secret",
		func(string, ...any) {}); err != nil {
		return nil, err
	}
	return &configuration, nil
}

func (m installed) install(release release, values map[string]any) error {
	configuration, err := m.configuration(release.namespace)
	if err != nil {
		return err
	}
	path := release.chart
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.project, path)
	}
	chart, err := loader.Load(path)
	if err != nil {
		return err
	}
	history := action.NewHistory(configuration)
	history.Max = 1
	if _, err := history.Run(release.name); !errors.Is(err, driver.ErrReleaseNotFound) {
		if err != nil {
			return err
		}
		upgrade := action.NewUpgrade(configuration)
		upgrade.Namespace, upgrade.Timeout = release.namespace, helmTimeout
		_, err = upgrade.Run(release.name, chart, values)
		return err
	}
	install := action.NewInstall(configuration)
	install.ReleaseName = release.name
	install.Namespace = release.namespace
	install.Timeout = helmTimeout
	install.SkipCRDs = true
	_, err = install.Run(chart, values)
	return err
}

func (m installed) uninstall(release release) error {
	configuration, err := m.configuration(release.namespace)
	if err != nil {
		return err
	}
	uninstall := action.NewUninstall(configuration)
	uninstall.Wait = true
	uninstall.Timeout = helmTimeout
	uninstall.DeletionPropagation = "foreground"
	_, err = uninstall.Run(release.name)
	return err
}

// gate runs the gate's create command against this cluster, with the stack's stdin and environment.
func (m installed) gate(
	ctx context.Context, create, stdin string, environment map[string]any,
) error {
	kubeconfig, err := os.ReadFile(m.kubeconfig)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", create)
	cmd.Dir, cmd.Stdin, cmd.Env = m.project, strings.NewReader(stdin), os.Environ()
	for key, value := range environment {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", key, value))
	}
	cmd.Env = append(cmd.Env, "STRATA_KUBECONFIG="+string(kubeconfig)) // the last value counts
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}
