package config

// Registry is a container registry or a mirror of one. Together they become registries.yaml, K3s's
// own file for that (docs.k3s.io/installation/private-registry), on every node.
type Registry struct {
	// Name is the registry's name at the beginning of an image's name, for example docker.io. For a
	// mirror it is the host in the mirror's address, with its port if there is one, for example
	// mirror.example.org:5000. * stands for each registry without an entry. Required, unique.
	Name string `json:"name"`
	// Mirrors are addresses that are asked in place of the registry, for example
	// https://mirror.example.org/v2/hub. They are asked in this order, and the registry itself
	// last, unless disable-default-registry-endpoint is among k3s.serverArgs and k3s.agentArgs.
	// Default: none.
	Mirrors []string `json:"mirrors,omitempty"`
	// Rewrites change an image's name for the mirrors, by a regular expression of Go without
	// backslashes: "^library/(.*)": "hub/$1". Default: none, the name stays.
	Rewrites map[string]string `json:"rewrites,omitempty"`
	// Username is the name of the login to the registry, with Password. The registry's mirrors
	// do not get it; they have entries of their own. Default: none.
	Username string `json:"username,omitempty"`
	// Password must be encrypted: pulumi config set --secret --path
	// 'strata:k3s.registries[0].password'. Default: none.
	Password string `json:"password,omitempty"`
	// CA is the certificate in PEM of the CA that signs for the registry. Default: the CAs that the
	// host trusts.
	CA string `json:"ca,omitempty"`
	// InsecureSkipVerify accepts any certificate of the registry. Default false.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitempty"`
}
