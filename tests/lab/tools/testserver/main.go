// Command testserver answers HTTP with the name of the Pod that it runs in, and returns the body of
// a POST unchanged. Tests ask it through a Service, to see which Pod answered and that nothing on
// the way was lost.
//
//	GET  any path   200, "<host name>\n"
//	POST any path   200, the request's body; header X-Pod: <host name>
//
// GET /ready answers 200 once it serves. It listens on $LISTEN (default :8080) and ends orderly on
// SIGTERM: open requests are finished first. A test's settings, all optional:
//
//	START_DELAY  how long it does not listen yet, for example 3s
//	TAKES        how long each POST takes, for example 200ms
//	DRAIN        how long open requests may take after SIGTERM; 0s ends at once, as a program without a handler does
//	VERSION      is in the header X-Version of each answer
//	FAIL         answers each POST with this status
//	HOLDS        how many MiB of memory it takes before it listens
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

// maxBody bounds the body that one POST may echo, so that a wrong client cannot take the node's
// memory.
const maxBody = 1 << 20

// drainTime bounds open requests after SIGTERM; below the Pod's default grace of 30 s.
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

// handler answers as the command's comment says.
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
