package server

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strings"
	"syscall"

	"github.com/sirupsen/logrus"

	"strata/tests/lab/k3s/internal/settings"
)

// masked are the flags whose values K3s hides in annotations.
var masked = []string{"token", "t", "agent-token", "datastore-endpoint", "etcd-s3-access-key", "etcd-s3-secret-key", "vpn-auth"}

// nodeAnnotations returns the Node's annotations with the command-line arguments, in which secrets
// are masked, and with a hash of all arguments.
func nodeAnnotations(p *settings.Parsed) map[string]string {
	shown := []string{}
	for _, arg := range p.Args {
		name, value, found := strings.Cut(arg, "=")
		for _, secret := range masked {
			if strings.TrimLeft(name, "-") == secret {
				value = "********"
			}
		}
		shown = append(shown, name)
		if found {
			shown = append(shown, value)
		}
	}
	data, err := json.Marshal(shown)
	if err != nil {
		logrus.Fatalf("node annotations: %v", err) // strings can always be marshalled
	}
	sum := sha256.Sum256([]byte(strings.Join(p.Args, "\x00")))
	return map[string]string{
		"k3s.io/node-args":        string(data),
		"k3s.io/node-config-hash": base32.StdEncoding.EncodeToString(sum[:]),
	}
}

// raiseFileLimits raises the limit of open files to the maximum, because one process has the
// connections of all components.
func raiseFileLimits() {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		logrus.Warnf("read the open file limit: %v", err)
		return
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		logrus.Warnf("raise the open file limit: %v", err)
	}
}
