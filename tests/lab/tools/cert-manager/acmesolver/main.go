// Command acmesolver runs in cert-manager's Pods for HTTP-01 challenges. It serves the response to
// one challenge.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/cert-manager/cert-manager/pkg/issuer/acme/http/solver"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
)

func main() {
	logf.InitLogs()
	defer logf.FlushLogs()
	var one solver.HTTP01Solver
	set := pflag.NewFlagSet("acmesolver", pflag.ExitOnError)
	set.IntVar(&one.ListenPort, "listen-port", 8089, "the port to listen on")
	set.StringVar(&one.Domain, "domain", "", "the name that is to be proved")
	set.StringVar(&one.Token, "token", "", "the challenge's token, the last part of the path")
	set.StringVar(&one.Key, "key", "", "the answer")
	if err := set.Parse(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "acmesolver:", err)
		os.Exit(2)
	}
	if err := one.Listen(logf.Log.WithName("acmesolver")); err != nil {
		fmt.Fprintln(os.Stderr, "acmesolver:", err)
		os.Exit(1)
	}
}
