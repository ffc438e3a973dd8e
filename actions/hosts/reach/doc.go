// Package reach owns how the hosts that exist are reached: it makes an SSH target with its jump
// hosts, and the private keys and sudo passwords that let in, of the configuration and of the files
// that it names: ssh_config(5), known_hosts and keys.
//
// It reads files of this machine, has OpenSSH's client read an ssh_config, and connects to nothing.
// It does not own the connection (package remote). No error quotes a secret.
package reach
