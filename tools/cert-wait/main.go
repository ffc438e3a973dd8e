// Command cert-wait is an init container that holds a Pod until a folder has a matching and valid
// key and chain. The folder is a volume of the certificate's Secret with `optional: true`. kubelet
// mounts every volume before it starts the first init container. Without that option, a missing
// Secret would prevent the start of cert-wait itself.
//
//	cert-wait --dir /etc/tls [--timeout 5m] [--min-remaining 1h] [--dns-name NAME]...
//
// It only reads the mounted files: it uses no API server, so it needs no role and no kubectl. It
// exits with 0 if they are good, and with 1 and the reason on stderr if they are not. It exits with
// 2 for wrong arguments.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

type options struct {
	// dir has tls.key, tls.crt and, if the issuer supplies one, ca.crt.
	dir string
	// timeout bounds the wait from the Pod's start on; remaining is the least time that the chain
	// must still be valid.
	timeout, remaining time.Duration
	// names must be in the certificate.
	names names
}

// names is a flag that may be repeated.
type names []string

func (n *names) String() string         { return strings.Join(*n, ",") }
func (n *names) Set(value string) error { *n = append(*n, value); return nil }

func main() {
	opts, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "cert-wait:", err)
		os.Exit(2)
	}
	if err := wait(opts, realClock{}); err != nil {
		fmt.Fprintln(os.Stderr, "cert-wait:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var opts options
	flags := flag.NewFlagSet("cert-wait", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&opts.dir, "dir", "", "")
	flags.DurationVar(&opts.timeout, "timeout", 5*time.Minute, "")
	flags.DurationVar(&opts.remaining, "min-remaining", 0, "")
	flags.Var(&opts.names, "dns-name", "")
	err := flags.Parse(args)
	switch {
	case err != nil:
		return opts, err
	case flags.NArg() > 0:
		return opts, fmt.Errorf("unexpected %q", flags.Arg(0))
	case opts.dir == "":
		return opts, errors.New("--dir is empty; name the folder that the Secret is mounted at")
	case opts.timeout <= 0:
		return opts, errors.New("--timeout must be positive: a wait without end hides what is wrong")
	}
	return opts, nil
}
