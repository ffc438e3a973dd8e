// Package server gates K3s on one host: its unit and, on a server, /ping without credentials.
package server
