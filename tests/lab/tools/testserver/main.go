// Command testserver is an HTTP server for tests. It responds with the name of its Pod, and returns
// the body of a POST unchanged. Tests send requests through a Service, to see which Pod responded
// and whether any request was lost.
//
//	GET  any path   200, "<host name>\n"
//	POST any path   200, the request's body; header X-Pod: <host name>
//
// It listens on $LISTEN (default :8080). On SIGTERM it finishes open requests and then ends.
// Environment variables change its behaviour; all are optional:
//
//	START_DELAY  time before it starts to listen, for example 3s
//	TAKES        time that each POST takes, for example 200ms
//	DRAIN        time for open requests after SIGTERM (default 20s); 0s ends at once,
//	             like a program without a handler
//	VERSION      value of the header X-Version in each response
//	FAIL         status code of the response to each POST
//	HOLDS        memory, in MiB, that it allocates before it listens
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// maxBody is the maximum size of a POST's body, in bytes. It keeps a wrong client from using up the
// node's memory.
const maxBody = 1 << 20

// drainTime is the default time for open requests after SIGTERM. It is shorter than a Pod's default
// grace period of 30 s.
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
	behave, err := behaviourFrom(os.Getenv)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address, Handler: handler(pod, behave), ReadHeaderTimeout: 10 * time.Second}
	held := hold(behave.holds)
	defer runtime.KeepAlive(held)
	if behave.drain == 0 {
		return atOnce(server, behave.startDelay)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	served := make(chan error, 1)
	go func() {
		time.Sleep(behave.startDelay)
		served <- server.ListenAndServe()
	}()
	select {
	case err := <-served:
		return fmt.Errorf("serving on %s: %w", address, err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.Background(), behave.drain)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("finishing open requests: %w", err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving on %s: %w", address, err)
	}
	return nil
}

// handler returns the handler that the package comment describes.
func handler(pod string, behave behaviour) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Pod", pod)
		if behave.version != "" {
			w.Header().Set("X-Version", behave.version)
		}
		if r.Method != http.MethodPost {
			_, _ = fmt.Fprintln(w, pod)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "reading the body: "+err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(behave.takes)
		if behave.fail != 0 {
			http.Error(w, "made to fail", behave.fail)
			return
		}
		if _, err := w.Write(body); err != nil {
			fmt.Fprintln(os.Stderr, "testserver: answering:", err)
		}
	})
}
