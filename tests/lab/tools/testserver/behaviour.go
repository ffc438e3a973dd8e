package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// behaviour has the settings of the server, which a test sets by environment variables.
type behaviour struct {
	startDelay, takes, drain time.Duration
	version                  string
	// fail is the status code of the response to each POST; 0 means a normal response.
	fail int
	// holds is the amount of memory to allocate, in bytes.
	holds int
}

// behaviourFrom reads the settings from the environment.
func behaviourFrom(getenv func(string) string) (behaviour, error) {
	b := behaviour{drain: drainTime, version: getenv("VERSION")}
	for name, into := range map[string]*time.Duration{"START_DELAY": &b.startDelay,
		"TAKES": &b.takes, "DRAIN": &b.drain} {
		text := getenv(name)
		if text == "" {
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			return b, fmt.Errorf("%s: %w", name, err)
		}
		*into = d
	}
	if text := getenv("FAIL"); text != "" {
		status, err := strconv.Atoi(text)
		if err != nil || status < 400 || status > 599 {
			return b, fmt.Errorf("FAIL: %q is no status of a failure", text)
		}
		b.fail = status
	}
	if text := getenv("HOLDS"); text != "" {
		size, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return b, fmt.Errorf("HOLDS: %w", err)
		}
		b.holds = int(size) << 20
	}
	return b, nil
}

// hold allocates memory, and writes to it so that the kernel provides every page.
func hold(size int) []byte {
	held := make([]byte, size)
	for i := range held {
		held[i] = 1
	}
	return held
}

// atOnce serves until SIGTERM, which ends the process and all its open requests at once. A handler
// is needed even for that: the kernel ignores SIGTERM without a handler for process 1 of a
// container.
func atOnce(server *http.Server, delay time.Duration) error {
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stopped
		os.Exit(0)
	}()
	time.Sleep(delay)
	return fmt.Errorf("serving on %s: %w", server.Addr, server.ListenAndServe())
}
