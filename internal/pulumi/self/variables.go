package self

// Variables in the environment of a subcommand. The states of stacks contain their names, and
// deletes of resources use them, so the names must not change. Keys are private and in PEM; one
// variable may hold several keys. All but Attempt, Calendar, Cluster, PutBack and DeletedMachines
// are secret.
const (
	// Kubeconfig is the cluster's kubeconfig.
	Kubeconfig = "STRATA_KUBECONFIG"
	// SSHKey has the private keys for hosts and their jump hosts; sudo passwords may follow the
	// keys (remote.SudoPassword). HypervisorKey has the private key for the hypervisor.
	SSHKey        = "STRATA_SSH_KEY"
	HypervisorKey = "STRATA_HYPERVISOR_KEY"
	// HostKey has the private key that a virtual machine gets as its SSH host key.
	HostKey = "STRATA_HOST_KEY"
	// DeletedMachines are the nodes whose machines an interrupted destroy has deleted, as JSON.
	DeletedMachines = "STRATA_DELETED_MACHINES"
	// VaultKeys are the keys of the stack's own Vault, as JSON.
	VaultKeys = "STRATA_VAULT_KEYS"
	// BasicAuth is user:password for HTTP probes that log in. APIKey is the API key of HTTP probes
	// with a KeyHeader, or of the data plane's admin API.
	BasicAuth = "STRATA_BASIC_AUTH"
	APIKey    = "STRATA_API_KEY"
	// Attempt is a word of rerun.Attempt, Calendar the present month, and Cluster the cluster's
	// identity. If one of them changes, Pulumi runs the command again.
	Attempt  = "STRATA_ATTEMPT"
	Calendar = "STRATA_CALENDAR"
	Cluster  = "STRATA_CLUSTER"
	// PutBack describes the drift that the last update of the resource repaired. A new text makes
	// Pulumi run the command.
	PutBack = "STRATA_PUT_BACK"
	// PreviousOutput is the last output of the resource's command. The provider sets it.
	PreviousOutput = "PULUMI_COMMAND_STDOUT"
)
