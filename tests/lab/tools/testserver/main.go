// Command testserver answers HTTP with the name of the Pod that it runs in, and returns the body of a POST
// unchanged. Tests ask it through a Service, to see which Pod answered and that nothing on the way was lost.
//
//	GET  any path   200, "<host name>\n"
//	POST any path   200, the request's body; header X-Pod: <host name>
//
// It listens on $LISTEN (default :8080) and ends orderly on SIGTERM: open requests are finished first.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// maxBody bounds what one POST may echo, so that a wrong client cannot take the node's memory.
const maxBody = 1 << 20

// drainTime is how long open requests may take after SIGTERM; below the Pod's default grace of 30 s.
const drainTime = 20 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
}

func run() error {
	pod, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("host name: %w", err)
	}
	address := os.Getenv("LISTEN")
	if address == "" {
		address = ":8080"
	}
	server := &http.Server{Addr: address, Handler: handler(pod), ReadHeaderTimeout: 10 * time.Second}
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

// handler answers as the command's comment says.
func handler(pod string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Pod", pod)
		if r.Method != http.MethodPost {
			fmt.Fprintln(w, pod)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "reading the body: "+err.Error(), http.StatusBadRequest)
			return
		}
		if _, err := w.Write(body); err != nil {
			fmt.Fprintln(os.Stderr, "testserver: answering:", err)
		}
	})
}
