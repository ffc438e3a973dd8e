// Package settings turns a K3s command line, its environment and /etc/rancher/k3s/config.yaml into
// one typed value.
//
// It owns: the list of flags K3s knows, the merge of config.yaml with config.yaml.d, and the rules
// for keys that K3s does not know (a server skips them with a warning, an agent refuses to start).
// It does not own: the settings' meaning; control, node and datastore do. It guarantees: the order
// of precedence is drop-ins over config.yaml, and the command line over both; list flags
// accumulate.
package settings
