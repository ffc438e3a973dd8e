// Package server gates a host's K3s: its unit and, on a server, /ping without credentials.
package server
