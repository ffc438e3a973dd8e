package scaffoldtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"strata/internal/remote/sshtest"
)

// sudoVariable has the host that the test binary plays sudo of.
const sudoVariable = "STRATA_TEST_SUDO_OF"

// sudoOf is a host as its sudo knows it.
type sudoOf struct {
	Address, Hostname, Arch string
	MemoryMiB               int
	// Wanted is the password.
	Wanted string
}

// AsksForSudo makes sudo ask the host's user for a password. The test's PATH has nothing but that
// sudo and a shell from here on, and its TestMain must call MaybeSudo.
func (h *Host) AsksForSudo(t *testing.T, password string) {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(folder, "sudo")))
	require.NoError(t, os.Symlink("/bin/sh", filepath.Join(folder, "sh")))
	t.Setenv("PATH", folder)
	text, err := json.Marshal(sudoOf{h.Address, h.Hostname, h.Arch, h.MemoryMiB, password})
	require.NoError(t, err)
	h.Handler, h.Env = nil, []string{sudoVariable + "=" + string(text)}
}

// MaybeSudo plays sudo where the test binary was called by that name, and ends the process.
func MaybeSudo() {
	if filepath.Base(os.Args[0]) != "sudo" {
		return
	}
	var host sudoOf
	if err := json.Unmarshal([]byte(os.Getenv(sudoVariable)), &host); err != nil {
		fmt.Fprintln(os.Stderr, "sudo:", err)
		os.Exit(1)
	}
	os.Exit(host.sudo(os.Args[1:], bufio.NewReader(os.Stdin)))
}

// sudo reads the password and then, behind what a shell passes over, a script in the form in which
// package remote sends it.
func (h *sudoOf) sudo(args []string, stdin *bufio.Reader) int {
	password, _ := stdin.ReadString('\n') // At the end of the input there is none, which is a wrong one.
	switch {
	case args[0] == "-n":
		fmt.Fprintln(os.Stderr, "sudo: a password is required")
		return 1
	case strings.TrimSuffix(password, "\n") != h.Wanted:
		fmt.Fprintln(os.Stderr, "Sorry, try again.")
		return 1
	case args[len(args)-1] == ":":
		return 0
	}
	if _, err := stdin.ReadString('\n'); err != nil {
		return 1
	}
	var size, input, seconds int
	if _, err := fmt.Fscanf(stdin, "%d %d %d\n", &size, &input, &seconds); err != nil {
		return 1
	}
	script := make([]byte, size)
	if _, err := io.ReadFull(stdin, script); err != nil {
		return 1
	}
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		close(gone)
	}()
	host := Host{Address: h.Address, Hostname: h.Hostname, Arch: h.Arch, MemoryMiB: h.MemoryMiB}
	return host.answer(sshtest.Call{Script: string(script), Stdout: os.Stdout, Stderr: os.Stderr, Gone: gone})
}
