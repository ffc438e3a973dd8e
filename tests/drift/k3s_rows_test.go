package drift_test

import "testing"

// contractRow is a row of tests/lab/k3s-contract.md, with the tests that check it.
type contractRow struct {
	// begins is the beginning of the row.
	begins string
	// check runs with any binary, the lab's or an upstream one. It is nil if a row needs more than
	// a binary.
	check func(t testing.TB, k k3s)
	// also names further tests of the row. Stories and tests of the installer run with upstream
	// artifacts, too (make test-originals). The others test only the stand-in's code. A row without
	// check and also was only read in K3s's source, or the stand-in does not have the property.
	also []string
}

// These are the folders of tests that check rows.
const (
	stories   = "tests/e2e "
	installer = "tests/lab/k3s/internal/installer "
	standIn   = "tests/lab/k3s/internal/"
)

var contract = []contractRow{
	{"`k3s --version`", versionIsSaid, nil},
	{"subcommands `server`", subcommandsAreThere, nil},
	{"`kubectl`, `crictl`, `ctr` as links", nil,
		[]string{installer + "TestLinksDoNotReplaceOtherProgramsUnlessForced"}},
	{"every flag of server and agent", flagsOfTheListAreAccepted, nil},
	{"an unknown flag fails", unknownFlagFails, nil},
	{"`--cluster-reset`, `--cluster-reset-restore-path`", nil,
		[]string{stories + "TestLife"}},
	{"a reset is refused while `server`", resetBesideAServerIsRefused, nil},
	{"a reset leaves `server/db/reset-flag`", nil, nil},
	{"a reset keeps a copy of `server/tls`", nil, nil},
	{"a reset gives the member a new name", nil, nil},
	{"the cluster's key material lies in etcd", nil, []string{stories + "TestLife"}},
	{"a snapshot ends with the sha256", nil, []string{stories + "TestLife"}},
	{"a restore counts on from", nil, []string{stories + "TestLife"}},
	{"a restore sets the old data aside", nil, []string{stories + "TestLife"}},
	{"`etcd-snapshot save`: a file", nil, []string{stories + "TestLife"}},
	{"`etcd-snapshot save` ends well, without", nil,
		[]string{"actions/k3s/restore TestSaveFailsWhenK3sReportsNoNewSnapshot"}},
	{"`etcd-snapshot save` on a server without its quorum", nil,
		[]string{standIn + "datastore TestSnapshotIsWrittenButFailsWithoutQuorum",
			stories + "TestLife"}},
	{"`etcd-snapshot-schedule-cron`", nil, nil},

	{"`/etc/rancher/k3s/config.yaml`, then", dropInsComeAfterTheFile,
		[]string{standIn + "settings TestLaterDropInReplacesValueAndPlusKeyAppends"}},
	{"command line after file", commandLineComesAfterTheFile,
		[]string{standIn + "settings TestCommandLineOverridesTextsAndAddsToLists"}},
	{"**an unknown key in a *server's* config.yaml", unknownKeyOfAServerIsSkipped, nil},
	{"an unknown key in an *agent's* config.yaml", unknownKeyOfAnAgentFails, nil},
	{"config.yaml is not part of the installer's change check", nil, nil},
	{"variables `K3S_TOKEN`", variablesAreRead,
		[]string{standIn + "settings TestEnvironmentSetsOnlyFlagsThatAreNotSet"}},
	{"settings that servers must share", nil,
		[]string{standIn + "supervisor TestDiffNamesCriticalSettingsThatDiffer"}},
	{"`/etc/rancher/k3s/registries.yaml`", nil,
		[]string{standIn + "node TestRegistriesFileBecomesContainerdConfiguration",
			stories + "TestInitProposalComesUp"}},

	{"`INSTALL_K3S_{SKIP_DOWNLOAD", nil,
		[]string{installer + "TestEnvironmentAndArgumentsSetUnitAndCommand",
			installer + "TestInstallRestartsServiceOnlyIfChangedOrForced"}},
	{"unit `k3s.service` or `k3s-agent.service`", nil,
		[]string{installer + "TestServerUnitHasTheSettingsThatStrataReliesOn"}},
	{"`K3S_*`, `CONTAINERD_*` and proxy variables", nil,
		[]string{installer + "TestInstallWritesVariablesToPrivateFile"}},
	{"the unit has the mode that the caller's umask leaves", nil, nil},
	{"`k3s-killall.sh`, `k3s-uninstall.sh`", nil,
		[]string{installer + "TestUninstallOfOneServiceKeepsTheBinaryForAnother",
			stories + "TestStagingOnExistingHosts"}},
	{"shims run from", nil, []string{stories + "TestStagingOnExistingHosts"}},
	{"the uninstall leaves", nil, []string{stories + "TestStagingOnExistingHosts"}},
	{"containers survive", nil, []string{stories + "TestLife"}},
	{"a running K3s is not touched by another file", nil,
		[]string{stories + "TestLife"}},

	{"server: READY=1", nil, []string{stories + "TestStagingOnExistingHosts"}},
	{"agent: READY=1", nil, []string{stories + "TestMistakesAreReportedAndNextUpdateSucceeds"}},
	{"a server that cannot join ends and is restarted", nil,
		[]string{stories + "TestMistakesAreReportedAndNextUpdateSucceeds"}},
	{"a server that is stopped in its first seconds", nil,
		[]string{"components TestUninstallDoesNotWaitForStartingServer",
			stories + "TestMistakesAreReportedAndNextUpdateSucceeds"}},
	{"the controller manager ends K3s with 1", nil, nil},
	{"certificates are good for 365 days", nil,
		[]string{standIn + "pki TestRestartRenewsCertificateNearExpiryOrWithNewName"}},
	{"the controller manager signs for", nil, []string{stories + "TestPlatformOnCreatedMachines"}},
	{"k3s.yaml and the token exist", nil, nil},

	{"`/ping`", nil, []string{standIn + "supervisor TestPingAndCACertsNeedNeitherLoginNorAPIServer"}},
	{"any other path while the API server starts", nil,
		[]string{standIn + "supervisor TestAPIPathsReturn503UntilTheAPIServerRuns"}},
	{"`/readyz`, `/livez`, `/healthz` without credentials", nil,
		[]string{stories + "TestLife"}},
	{"`/v1-k3s/*`: 403", nil, []string{standIn +
		"supervisor TestJoinEndpointsRequireThePassword"}},
	{"`/v1-k3s/{config,apiservers", nil,
		[]string{standIn + "supervisor TestJoinEndpointsRequireThePassword"}},
	{"client certificates of the cluster's client CA", nil,
		[]string{stories + "TestPlatformOnCreatedMachines"}},
	{"endpoints of the `kubernetes` Service", nil, nil},

	{"`server/token` =", nil, []string{standIn + "token TestFormattedTokenParsesToSameParts"}},
	{"bare passwords are accepted everywhere", barePasswordIsAToken,
		[]string{standIn + "token TestBarePasswordAcceptsAnyCA"}},
	{"servers with `agent-token`", nil, []string{standIn +
		"supervisor TestJoinEndpointsRequireThePassword"}},
	{"`PUT /v1-k3s/token", nil,
		[]string{standIn + "supervisor TestOnlyServersMayRotateTheToken",
			stories + "TestStagingOnExistingHosts"}},
	{"the keys are kept as", nil,
		[]string{standIn + "datastore TestTokenRotationReencryptsClusterKeys",
			stories + "TestNewHosts"}},
	{"CA mismatch", otherCAIsRefused, nil},
	{"agent with a wrong password", agentWithAWrongPasswordWaits, nil},
	{"server with a wrong password", serverWithAWrongPasswordEnds, nil},
	{"a server to join that does not answer", serverThatDoesNotAnswerIsAToken, nil},
	{"`/readyz` of the server to join", nil,
		[]string{standIn + "supervisor TestAPIPathsReturn503UntilTheAPIServerRuns"}},
	{"node password in", nil, []string{standIn + "supervisor TestStoredHashHasK3sFormat"}},
	{"another password for a known name", nil,
		[]string{standIn + "supervisor TestNodePasswordIsStoredAndOthersAreRejected"}},
	{"the Secret goes with the Node", nil, []string{stories + "TestStagingOnExistingHosts"}},
	{"agent's load balancer", nil, []string{standIn +
		"balancer TestStoredServersAreUsedAfterRestart"}},

	{"a joining server is a learner first", nil,
		[]string{stories + "TestStagingOnExistingHosts"}},
	{"promotion by the etcd leader", nil, nil},
	{"deleting a server's Node removes its member", nil,
		[]string{standIn + "datastore TestNodeWithoutEtcdRoleGetsMemberFinalizer",
			stories + "TestStagingOnExistingHosts"}},
	{"annotation `etcd.k3s.cattle.io/remove=true`", nil,
		[]string{stories + "TestStagingOnExistingHosts"}},
	{"a server that was removed and joins anew", nil,
		[]string{standIn + "datastore TestRemoveAnnotationIsClearedForRejoinedServer"}},
	{"both are done by the holder of Lease", nil, []string{stories + "TestStagingOnExistingHosts"}},
	{"a removed member leaves a tombstone", nil,
		[]string{standIn + "datastore TestMemberKeepsItsNameUntilItIsRemoved"}},
	{"a name that is still a member is refused", nil,
		[]string{standIn + "datastore TestReinstalledServerIsRefusedWhileItsOldMemberRemains",
			stories + "TestMistakesAreReportedAndNextUpdateSucceeds"}},
	{"after the first start `--server`", nil,
		[]string{stories + "TestLife"}},
	{"without `cluster-init`, K3s keeps", nil,
		[]string{standIn + "supervisor TestServerWithoutEtcdRejectsJoins"}},

	{"`node-label` and `node-taint`", nil, []string{stories + "TestStagingOnExistingHosts"}},
	{"labels `node-role.kubernetes.io/control-plane=true`", nil,
		[]string{stories + "TestStagingOnExistingHosts"}},
	{"annotations `k3s.io/{hostname", nil, nil},
	{"InternalIP = `node-ip`", nil, []string{stories + "TestLife"}},
	{"`agent/images/*.tar` are", nil, []string{standIn +
		"node TestEveryStartImportsAllArchivesAgain"}},
	{"an archive packed as `.tar.zst`", nil,
		[]string{standIn + "node TestArchivesWithZstdExtensionAreDecompressed",
			stories + "TestAirGappedStackComesUpFromBundle"}},
	{"with `agent/images/.cache.json`, an archive", nil,
		[]string{standIn + "node TestImageCacheSkipsUnchangedArchives"}},
	{"imported images are pinned", nil, nil},
	{"an archive that is added while K3s runs", nil, nil},
	{"`k3s ctr --address", nil, []string{stories + "TestPlatform"}},
	{"`server/manifests/*.yaml` are applied", nil,
		[]string{standIn + "deploy TestPackagedManifestsAreWrittenWithTheirValues"}},
	{"Deployment `coredns`", nil, []string{standIn +
		"deploy TestPackagedManifestsAreWrittenWithTheirValues"}},
	{"`disable: NAME`", nil, []string{standIn +
		"deploy TestDisabledComponentIsUninstalled"}},
	{"NetworkPolicies are enforced", nil,
		[]string{stories + "TestPlatform",
			stories + "TestVaultSigns"}},
	{"the cgroup driver is systemd", nil, nil},
	{"kubelet of 1.35 and later", nil, nil},
	{"kubectl logs, exec and proxy", nil,
		[]string{standIn + "supervisor TestKubeletWithClosedPortIsReachedThroughItsAgent",
			stories + "TestAPISIX"}},
	{"the API server dials Pods", nil,
		[]string{standIn + "supervisor TestAddressesOtherThanKubeletsAreDialedDirectly"}},
}
