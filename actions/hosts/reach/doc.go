// Package reach determines how to log in to existing hosts: SSH targets with jump hosts, private
// keys and sudo passwords. It reads the configuration and the files that it names: ssh_config(5),
// known_hosts and keys.
//
// It reads files on this machine and runs OpenSSH's client to resolve an ssh_config. It opens no
// connection; package remote does. No error quotes a secret.
package reach
