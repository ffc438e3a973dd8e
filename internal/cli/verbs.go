package cli

import "github.com/spf13/cobra"

// verbs are all verbs, for users first.
func verbs() []*cobra.Command {
	return []*cobra.Command{
		newPreflightCommand(),
		newCheckCommand(),
		newHealthCommand(),
		newSnapshotCommand(),
		newRestoreCommand(),
		newRecoverCommand(),
		newStrandedCommand(),
		newHostCommand(),
		newLeftoversCommand(),
		newRecordCommand(),
		newTimelineCommand(),
		newLoadCommand(),
		newFetchCommand(),
		newBundleCommand(),
		newImageCommand(),
		newMachineCommand(),
		newVMCommand(),
		newMachineGuardCommand(),
		newKeygenCommand(),
		newGateCommand(),
		newHostKeyCommand(),
		newPushCommand(),
		newAdmitCommand(),
		newMembersCommand(),
		newUpgradeCommand(),
		newCredentialCommand(),
		newCRDsCommand(),
		newClassCommand(),
		newReadCommand(),
		newNodesCommand(),
		newVaultCommand(),
		newUnblockCommand(),
		newTeardownCommand(),
		newCanaryCommand(),
	}
}
