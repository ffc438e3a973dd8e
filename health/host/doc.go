// Package host gates a host over SSH before K3s is installed: Strata can log in, the host meets
// K3s's requirements, and no other cluster owns it. Probe scripts run on the host and print their
// observations, block by block, until the gate ends. The package also observes K3s's systemd units,
// for the kinds server and nodes, and connections from the hosts to other addresses.
//
// The scripts change nothing. If an observation fails, the host's verdict reports the failure and
// ignores older observations.
package host
