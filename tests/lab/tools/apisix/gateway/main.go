// Command gateway stands in for Apache APISIX's data plane in standalone mode. The README lists the
// upstream behaviour that the command has.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sigs.k8s.io/yaml"

	"strata/tests/lab/tools/apisix/delays"
)

// Ports of the official image and chart.
const (
	portHTTP, portTLS, portAdmin, portMetrics, portStatus = ":9080", ":9443", ":9180", ":9091", ":7085"
)

// drainTime is the time for open requests after SIGTERM. nginx's worker_shutdown_timeout is longer.
const drainTime = 30 * time.Second

func main() {
	var err error
	if filepath.Base(os.Args[0]) == "sh" {
		err = shell(os.Args[1:])
	} else {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "apisix:", err)
		os.Exit(1)
	}
}

// shell implements the only shell command that the chart runs in the image: its preStop hook, sh -c
// "sleep 30".
func shell(args []string) error {
	words := strings.Fields(strings.Join(args, " "))
	if len(words) != 3 || words[0] != "-c" || words[1] != "sleep" {
		return fmt.Errorf("this image has no shell, only: sh -c \"sleep SECONDS\"; found %q", args)
	}
	seconds, err := strconv.Atoi(words[2])
	if err != nil {
		return fmt.Errorf("sleep: %w", err)
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return nil
}

// readAccess reads the admin API's keys from the environment, and the allowed addresses from the
// configuration file.
func readAccess(path string) (access, error) {
	who := access{adminKey: os.Getenv("APISIX_ADMIN_KEY"), viewerKey: os.Getenv("APISIX_VIEWER_KEY")}
	if who.adminKey == "" || who.viewerKey == "" {
		return who, errors.New("APISIX_ADMIN_KEY or APISIX_VIEWER_KEY: empty; the chart takes " +
			"them from apisix.admin.credentials.secretName")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return who, err
	}
	var config struct {
		Deployment struct {
			Admin struct {
				Allow []string `json:"allow_admin"`
			} `json:"admin"`
		} `json:"deployment"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return who, fmt.Errorf("%s: %w", path, err)
	}
	for _, one := range config.Deployment.Admin.Allow {
		prefix, err := netip.ParsePrefix(one)
		if err != nil {
			return who, fmt.Errorf("%s: allow_admin: %w", path, err)
		}
		who.from = append(who.from, prefix.Masked())
	}
	return who, nil
}

func run() error {
	who, err := readAccess("/usr/local/apisix/conf/config.yaml")
	if err != nil {
		return err
	}
	time.Sleep(delays.Gateway())
	p := newPlane(who)
	servers := []*http.Server{
		{Addr: portHTTP, Handler: p.proxy("http")},
		{Addr: portTLS, Handler: p.proxy("https"),
			TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: p.certificate}},
		{Addr: portAdmin, Handler: http.HandlerFunc(p.admin)},
		{Addr: portMetrics, Handler: http.HandlerFunc(p.metrics.serve)},
		{Addr: portStatus, Handler: http.HandlerFunc(p.status)},
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	p.follow(ctx)
	ended := make(chan error, len(servers))
	for _, server := range servers {
		server.ReadHeaderTimeout = time.Minute
		go func() {
			if server.TLSConfig != nil {
				ended <- server.ListenAndServeTLS("", "")
				return
			}
			ended <- server.ListenAndServe()
		}()
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	var failures []error
	for _, server := range servers {
		failures = append(failures, server.Shutdown(drain))
	}
	return errors.Join(failures...)
}
