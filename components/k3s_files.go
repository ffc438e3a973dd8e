package components

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"strata/config"
	"strata/internal/kube/apiserver"
)

// nextFile is the prefix of the line that precedes each further file on the install's stdin. No
// file contains such a line: marshalled YAML, certificates and the proxy file have no comments like
// it.
const nextFile = "# file: "

// k3sFiles returns the files that follow config.yaml on the install's stdin, each after a nextFile
// line with its path below /etc/rancher/k3s. It returns an empty string if none is needed.
func k3sFiles(k3s config.K3s, node apiserver.NodeSettings, nodes netip.Prefix) (string, error) {
	files, err := k3sRegistries(k3s.Registries)
	if err != nil {
		return "", err
	}
	if proxy := k3sProxy(k3s, nodes); proxy != "" {
		files[proxyFile] = proxy
	}
	text, err := k3sNodeFile(node)
	if err != nil {
		return "", err
	}
	if text != "" {
		files[nodeFile] = text
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&all, "%s%s\n%s\n", nextFile, name, strings.TrimSuffix(files[name], "\n"))
	}
	return all.String(), nil
}
