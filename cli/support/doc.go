// Package support makes an archive for a person who helps with a stack. It has versions, the
// configuration without its secrets, the gates' results, the units and journals of the hosts, the
// cluster's Nodes, Pods and events, and recordings of runs.
//
// It owns the content of the archive, and ensures that no secret is in it. It owns neither the
// gates (package stackhealth), nor the access to a host or the state (packages remote, inventory
// and stackstate).
//
// It changes nothing, and sends nothing anywhere. Each source is bounded in time and size. The
// archive names an unreadable source with the reason. If the stack's secrets cannot be read, it
// collects nothing, because an unknown secret cannot be removed.
//
// It replaces every secret of at least 4 characters wherever it appears, plain and in base64, JSON
// and URLs. Secrets are those of the configuration and the state. Plain values under a secret's
// name in a chart's values or an ACME solver are secrets, too. It keeps texts that the state also
// has in plain, such as the name of a host.
package support
