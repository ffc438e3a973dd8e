// Package settings parses K3s's command line, environment variables and
// /etc/rancher/k3s/config.yaml into one value.
//
// It owns the list of K3s's flags, the merge of config.yaml with config.yaml.d, and the handling of
// unknown keys: a server skips them with a warning, and an agent fails. It does not own the meaning
// of settings; control, node and datastore do. Drop-ins take precedence over config.yaml, and the
// command line takes precedence over both. List flags accumulate.
package settings
