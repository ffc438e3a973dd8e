// Command keycloak stands in for Keycloak. It serves realms from an import folder: discovery, a
// login page, and signed tokens. The README lists the upstream behaviour that the command has.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"strata/tests/lab/tools/apisix/delays"
)

// importFolder is the folder that `start --import-realm` reads.
const importFolder = "/opt/keycloak/data/import"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "keycloak:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if !slices.Contains(args, "start") || !slices.Contains(args, "--import-realm") {
		return fmt.Errorf("expected start --import-realm, found %q", args)
	}
	realms, err := readRealms(importFolder, os.Getenv)
	if err != nil {
		return err
	}
	server, err := newServer(os.Getenv("KC_HOSTNAME"), realms)
	if err != nil {
		return err
	}
	var ready atomic.Bool
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ended := make(chan error, 2)
	health := &http.Server{Addr: ":9000", ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !ready.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			_, _ = fmt.Fprintf(w, `{"status":"%s"}`, map[bool]string{true: "UP",
				false: "DOWN"}[ready.Load()])
		})}
	main := &http.Server{Addr: ":8080", ReadHeaderTimeout: 10 * time.Second, Handler: server}
	go func() { ended <- health.ListenAndServe() }()
	go func() {
		time.Sleep(delays.Keycloak())
		ready.Store(true)
		ended <- main.ListenAndServe()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(main.Shutdown(drain), health.Shutdown(drain))
}
