// Package host gates a host over SSH before K3s is installed: it lets Strata in, meets K3s's
// requirements, and belongs to no other owner. Probe scripts run there and print their
// observations, block by block, until the gate ends. The package also has the units of K3s, which
// kinds server and nodes ask for, and connections that are tried from the hosts.
//
// Scripts read and change nothing. An observation that did not come back is a fault of that host,
// and no verdict rests on an older one.
package host
