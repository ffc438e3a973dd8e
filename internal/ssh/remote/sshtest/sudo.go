package sshtest

import (
	"cmp"
	"os"
	"path/filepath"

	"strata/internal/ssh/remote"
)

// allows is a script for Server.Sudo that needs no password.
const allows = `while [ "$1" != -- ]; do shift; done
shift
exec "$@"`

// AskingSudo returns a script for Server.Sudo that asks for a password once. Like sudo-rs before
// 0.2.13, it reads ahead, and loses the bytes after the password.
func AskingSudo(password string) string {
	return `[ "$1" != -n ] || { echo "sudo: a password is required" >&2; exit 1; }
sleep 0.1
given=$(dd bs=4096 count=1 2>/dev/null | head -n 1)
[ "$given" = ` + remote.Quote(password) + ` ] || { echo "Sorry, try again." >&2; exit 1; }
` + allows
}

// sudoFolder returns a folder that contains the server's sudo.
func (s *Server) sudoFolder() (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	body := "#!/bin/sh\n" + cmp.Or(s.Sudo, allows) + "\n"
	file := filepath.Join(s.folder, "sudo")
	if there, err := os.ReadFile(file); err == nil && string(there) == body {
		return s.folder, nil // do not write it again: it may be running
	}
	return s.folder, os.WriteFile(file, []byte(body), 0o755)
}
