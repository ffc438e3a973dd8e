// Package reach reads how existing hosts are reached. It makes an SSH target with its jump hosts,
// private keys and sudo passwords. Its sources are the configuration and the files that it names:
// ssh_config(5), known_hosts and keys.
//
// It reads files of this machine, runs OpenSSH's client to resolve an ssh_config, and opens no
// connection: package remote does that. No error quotes a secret.
package reach
