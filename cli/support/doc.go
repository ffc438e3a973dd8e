// Package support makes one archive of what a person who helps with a stack asks for: versions, the
// configuration without its secrets, what the gates say, the units and journals of the hosts, the
// cluster's Nodes, Pods and events, and recordings of runs.
//
// It owns what is in the archive, and that no secret is. It does not own the gates (package
// stackhealth), nor how a host or the state is reached (packages remote, inventory and stackstate).
//
// Guarantees: it changes nothing. Each source is bounded in time and size, and one that could not
// be read is named in the archive with why. Where the stack's secrets cannot be read, nothing is
// collected: what is not known cannot be taken out. Every text of a secret of the configuration or
// the state, and what a chart's values or an ACME solver have in plain under a name of secrets,
// from 4 characters on, is replaced wherever it appears, as it is and in base64, JSON and URLs; but
// for those that the state has in plain as well, such as the name of a host. Nothing is sent
// anywhere.
package support
