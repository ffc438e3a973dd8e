package self

// The variables that a subcommand finds in its environment. They stand in the states of stacks,
// whose resources are deleted with what they have there. Keys are private and in PEM, and several
// of them one after the other. All but Attempt, Calendar and Cluster are secret.
const (
	// Kubeconfig is the cluster's kubeconfig.
	Kubeconfig = "STRATA_KUBECONFIG"
	// SSHKey logs in to hosts and their jump hosts, and may have sudo passwords behind the keys
	// (remote.SudoPassword). HypervisorKey logs in to the hypervisor.
	SSHKey        = "STRATA_SSH_KEY"
	HypervisorKey = "STRATA_HYPERVISOR_KEY"
	// HostKey becomes a machine's own host key.
	HostKey = "STRATA_HOST_KEY"
	// VaultKeys are the keys of the stack's own Vault, as JSON.
	VaultKeys = "STRATA_VAULT_KEYS"
	// BasicAuth is user:password, and APIKey a key, for requests that need one.
	BasicAuth = "STRATA_BASIC_AUTH"
	APIKey    = "STRATA_API_KEY"
	// Attempt is a word of rerun.Attempt. Calendar is the present month, and Cluster the cluster's
	// identity: another one is a reason to run.
	Attempt  = "STRATA_ATTEMPT"
	Calendar = "STRATA_CALENDAR"
	Cluster  = "STRATA_CLUSTER"
	// PreviousOutput is the last output of the resource's command, for one that asks for it. The
	// provider sets it.
	PreviousOutput = "PULUMI_COMMAND_STDOUT"
)
