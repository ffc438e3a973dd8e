package kubeconfig

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"strata/config"
	"strata/internal/ssh/remote"
)

// ForStack returns the context that the configuration of a stack on an existing cluster names. Its
// errors are of type config.Problem, with the key and the fix.
func ForStack(cfg *config.Config, project string) (Target, error) {
	paths, shown, err := stackPaths(cfg.Cluster.Kubeconfig, project)
	if err != nil {
		return Target{}, config.Problem{Key: kubeconfigKey, Value: cfg.Cluster.Kubeconfig,
			Rule: "has no absolute path: " + err.Error(), Fix: "write an absolute path"}
	}
	target, err := Read(paths, cfg.Cluster.Context)
	var missing *ContextError
	var login *LoginError
	switch {
	case err == nil:
		return target, nil
	case errors.As(err, &missing):
		return Target{}, config.Problem{Key: contextKey, Value: cfg.Cluster.Context,
			Rule: "is no context of " + shown, Fix: missing.has()}
	case errors.As(err, &login):
		return Target{}, config.Problem{Key: contextKey, Value: cfg.Cluster.Context,
			Rule: "of " + shown + " cannot be used: " + err.Error(), Fix: login.Fix}
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, config.Problem{Key: kubeconfigKey, Value: shown, Rule: "is not there",
			Fix: "name the file, or set " + Variable +
				"; `kind export kubeconfig` and `k3d kubeconfig merge` write one"}
	default:
		try := "try it: kubectl "
		if cfg.Cluster.Kubeconfig != "" {
			try += "--kubeconfig " + remote.Quote(paths[0]) + " "
		}
		return Target{}, config.Problem{Key: contextKey, Value: cfg.Cluster.Context,
			Rule: "of " + shown + " cannot be used: " + err.Error(),
			Fix:  try + "--context " + remote.Quote(cfg.Cluster.Context) + " get nodes"}
	}
}

const (
	kubeconfigKey = config.Namespace + ":cluster.kubeconfig"
	contextKey    = config.Namespace + ":cluster.context"
)

// stackPaths returns the kubeconfig files to read, and their name for messages.
func stackPaths(configured, project string) ([]string, string, error) {
	if configured != "" {
		path, err := config.ResolvePath(project, configured)
		return []string{path}, configured, err
	}
	paths, err := DefaultPaths(os.Getenv)
	return paths, strings.Join(paths, string(os.PathListSeparator)), err
}
