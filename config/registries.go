package config

// Registry is a container registry or a mirror of one. Together they become registries.yaml, K3s's
// own file for that (docs.k3s.io/installation/private-registry), on every node.
type Registry struct {
	// Name is the registry's, as an image's name begins, for example docker.io; or its host as the
	// address of a mirror has it, with a port where that has one, for example
	// mirror.example.org:5000; or * for each that has no entry. Required, unique.
	Name string `json:"name"`
	// Mirrors are addresses that are asked in its place, for example
	// https://mirror.example.org/v2/hub. They are asked in their order, and the registry itself
	// last, unless disable-default-registry-endpoint is among k3s.serverArgs and k3s.agentArgs.
	// Default: none.
	Mirrors []string `json:"mirrors,omitempty"`
	// Rewrites change an image's name for the mirrors, by a regular expression of Go's without
	// backslashes: "^library/(.*)": "hub/$1". Default: none, the same.
	Rewrites map[string]string `json:"rewrites,omitempty"`
	// Username is the name of the login, with Password, to the registry of that name and not to its mirrors, which
	// have entries of their own. Default: none.
	Username string `json:"username,omitempty"`
	// Password must be encrypted: pulumi config set --secret --path
	// 'strata:k3s.registries[0].password'. Default: none.
	Password string `json:"password,omitempty"`
	// CA is the certificate in PEM of the CA that signs for the registry. Default: the CAs that the
	// host trusts.
	CA string `json:"ca,omitempty"`
	// InsecureSkipVerify takes whatever certificate the registry shows. Default false.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitempty"`
}
