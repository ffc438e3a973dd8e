package remote

// Target is a host that is reached over SSH.
type Target struct {
	// Name is the host's name in messages.
	Name string `json:"name"`
	// Address is an IP address or DNS name.
	Address string `json:"address"`
	// Port is sshd's TCP port.
	Port int `json:"port"`
	// User logs in; anything but root uses sudo without a password.
	User string `json:"user"`
	// HostKey is the pinned public host key in authorized_keys form.
	HostKey string `json:"hostKey"`
}
