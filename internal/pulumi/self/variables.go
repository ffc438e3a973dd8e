package self

// Variables in the environment of a subcommand. Their names are in the states of stacks, whose
// resources are deleted with them, so they must not change. Keys are private and in PEM; one
// variable may hold several keys. All but Attempt, Calendar,
// Cluster and DeletedMachines are secret.
const (
	// Kubeconfig is the cluster's kubeconfig.
	Kubeconfig = "STRATA_KUBECONFIG"
	// SSHKey logs in to hosts and their jump hosts; after the keys it may have sudo passwords
	// (remote.SudoPassword). HypervisorKey logs in to the hypervisor.
	SSHKey        = "STRATA_SSH_KEY"
	HypervisorKey = "STRATA_HYPERVISOR_KEY"
	// HostKey becomes a machine's own host key.
	HostKey = "STRATA_HOST_KEY"
	// DeletedMachines are the nodes whose machines an interrupted destroy has deleted, as JSON.
	DeletedMachines = "STRATA_DELETED_MACHINES"
	// VaultKeys are the keys of the stack's own Vault, as JSON.
	VaultKeys = "STRATA_VAULT_KEYS"
	// BasicAuth is user:password, and APIKey a key. They are for requests that need one.
	BasicAuth = "STRATA_BASIC_AUTH"
	APIKey    = "STRATA_API_KEY"
	// Attempt is a word of rerun.Attempt, Calendar the present month, and Cluster the cluster's
	// identity. A change of one makes the command run again.
	Attempt  = "STRATA_ATTEMPT"
	Calendar = "STRATA_CALENDAR"
	Cluster  = "STRATA_CLUSTER"
	// PreviousOutput is the last output of the resource's command. The provider sets it.
	PreviousOutput = "PULUMI_COMMAND_STDOUT"
)
