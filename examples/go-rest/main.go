// Command go-rest is a small REST API: a list of items in memory.
//
//	GET    /api/v1/items        200, all items, oldest first
//	POST   /api/v1/items        201, the new item; the body is {"name": "…"}
//	GET    /api/v1/items/{id}   200, one item, or 404
//	DELETE /api/v1/items/{id}   204, or 404
//	GET    /healthz             200
//
// It listens on $LISTEN (default :8080). It checks no API keys: a proxy in front of it does.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// drainTime bounds open requests after SIGTERM. It is less than a Pod's default grace period of 30
// s.
const drainTime = 15 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "go-rest:", err)
		os.Exit(1)
	}
}

func run() error {
	address := os.Getenv("LISTEN")
	if address == "" {
		address = ":8080"
	}
	server := &http.Server{Addr: address, Handler: newAPI().handler(),
		ReadHeaderTimeout: 10 * time.Second}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- server.ListenAndServe() }()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", address, err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("finishing open requests: %w", err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", address, err)
	}
	return nil
}
