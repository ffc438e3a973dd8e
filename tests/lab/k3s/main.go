// Command k3s is the lab's stand-in for K3s: upstream Kubernetes v1.36.3, etcd and flannel in one
// process, with K3s's command line, files and endpoints. tests/lab/k3s-contract.md lists
// similarities and differences.
package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/sirupsen/logrus"
	logsapi "k8s.io/component-base/logs/api/v1"

	"strata/tests/lab/k3s/internal/verbs"
)

func main() {
	logrus.SetFormatter(&logrus.TextFormatter{DisableColors: true, FullTimestamp: true})
	// Several components apply the same logging configuration, which must not be an error.
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	// Collect garbage less often. Half of the processor time is Go's runtime, and test machines
	// have enough memory.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	args := os.Args[1:]
	if name := filepath.Base(os.Args[0]); name != "k3s" && verbs.Known(name) {
		args = append([]string{name}, args...) // called through a link: kubectl, crictl, ctr
	}
	if err := verbs.Run(context.Background(), args); err != nil {
		logrus.Fatalf("Error: %v", err)
	}
}
