// Package support makes an archive for a person who helps with a stack. The archive has versions,
// the configuration without its secrets, and the gates' results. It also has the units and journals
// of the hosts, the cluster's Nodes, Pods and events, and recordings of runs.
//
// The package owns the content of the archive, and ensures that no secret is in it. It owns neither
// the gates (package stackhealth), nor the access to a host or the state (packages remote,
// inventory and stackstate).
//
// It changes nothing, and sends nothing anywhere. Each source is bounded in time and size. The
// archive lists each source that could not be read, with the reason. If the stack's secrets cannot
// be read, Collect fails, because it could not remove an unknown secret.
//
// It replaces every secret of at least 4 characters wherever it appears, also encoded in base64,
// JSON or URLs. Secrets are those of the configuration and the state. Unencrypted values under a
// secret's name in a chart's values or an ACME solver count as secrets, too. It keeps a secret of
// the state whose text the state also has unencrypted, such as the name of a host.
package support
