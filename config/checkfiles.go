package config

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"
)

// CheckFiles reports every mistake in the files that the configuration names, as joined Problems.
// It refuses private keys that are missing, unreadable, readable by others, encrypted or malformed,
// and bundle folders without a manifest. Validate reads no files, because a preview must work on a
// machine without them.
func (c *Config) CheckFiles(projectDir string) error {
	var ps problems
	if c.Hosts.Driver == DriverExisting {
		seen := map[string]bool{}
		for i, node := range c.Hosts.Nodes {
			for j, jump := range node.SSH.Jump {
				if jump.KeyFile != "" && !seen[jump.KeyFile] {
					seen[jump.KeyFile] = true
					checkKeyFile(&ps, field("hosts.nodes[%d].ssh.jump[%d].keyFile", i, j),
						projectDir, jump.KeyFile, node.SSH, StackNames)
				}
			}
			if node.SSH.KeyFile == "" || seen[node.SSH.KeyFile] {
				continue
			}
			seen[node.SSH.KeyFile] = true
			key := field("hosts.nodes[%d].ssh.keyFile", i)
			if node.SSH.KeyFile == c.Hosts.SSH.KeyFile {
				key = field("hosts.ssh.keyFile")
			}
			checkKeyFile(&ps, key, projectDir, node.SSH.KeyFile, node.SSH, StackNames)
		}
	}
	checkBundle(&ps, field("artifacts.source"), projectDir, c.Artifacts.Source)
	if c.Hosts.Driver.MakesVMs() && c.Hosts.Hypervisor.Address != "" {
		checkKeyFile(&ps, field("hosts.hypervisor.keyFile"), projectDir,
			c.Hosts.Hypervisor.KeyFile, SSH{}, StackNames)
	}
	if c.NeedsVMImage() && c.Artifacts.MachineImage != c.Artifacts.Source {
		checkBundle(&ps, field("artifacts.machineImage"), projectDir, c.Artifacts.MachineImage)
	}
	return ps.err()
}

// MissingKeyFix returns the fix for a missing key file: another, unless the key belongs to a machine
// of the lab. That key exists only while the machine runs (tests/lab).
func MissingKeyFix(path, another string) string {
	if strings.HasPrefix(filepath.Clean(path), ".strata/lab/") {
		return "its hosts are machines of the lab, and they do not run: make up makes them or starts them, " +
			"and brings the stack up"
	}
	return another
}

// CheckKeyFile reports every mistake in ssh's KeyFile, as CheckFiles does. key is the configuration
// key in the messages.
func (ssh SSH) CheckKeyFile(key, projectDir string, names SSHNames) error {
	var ps problems
	if ssh.KeyFile != "" {
		checkKeyFile(&ps, key, projectDir, ssh.KeyFile, ssh, names)
	}
	return ps.err()
}

// checkKeyFile applies the rules for a private key's file. The key may be encrypted if its
// passphrase is configured, or if the login uses an ssh-agent.
func checkKeyFile(ps *problems, key, projectDir, path string, of SSH, names SSHNames) {
	file, err := ResolvePath(projectDir, path)
	if err != nil {
		ps.add(key, path, "has no absolute path: "+err.Error(), "write an absolute path")
		return
	}
	info, err := os.Stat(file)
	if err != nil {
		fix := MissingKeyFix(path, "create it with ssh-keygen, or name the key that the hosts know")
		ps.add(key, path, "cannot be read: "+reason(err), fix)
		return
	}
	const others = 0o077
	// As in ssh, the mode matters only for this user's own file: only the owner can change it.
	system, ok := info.Sys().(*syscall.Stat_t)
	if mode := info.Mode().Perm(); mode&others != 0 && (!ok || int(system.Uid) == os.Getuid()) {
		ps.add(key, path, fmt.Sprintf("is readable by others (mode %04o)", mode),
			"run: chmod 600 "+file)
	}
	_, text, err := ReadKeyFile(projectDir, path)
	if err != nil {
		ps.add(key, path, "cannot be read: "+reason(err), "let this user read it")
		return
	}
	var encrypted *ssh.PassphraseMissingError
	if rule, fix := CheckUnread(text, file, names); rule != "" {
		ps.addIf(!of.Agent, key, path, rule, fix)
	} else if _, err := ssh.ParseRawPrivateKey(text); errors.As(err, &encrypted) {
		ps.addIf(of.Passphrase == "" && !of.Agent, key, path,
			"is encrypted, and a run cannot ask for its passphrase",
			names.Passphrase+", or "+names.Agent+" where an agent has it open, or use a "+
				"key without one for this purpose")
	} else if rule, fix := CheckKeyText(text); rule != "" {
		ps.add(key, path, rule, fix)
	}
}

// ReadKeyFile returns a private key's file at a path of the configuration: its absolute path and
// its text. The text has no block EC PARAMETERS, which `openssl ecparam -genkey` writes before the
// key and which x/crypto/ssh would take for the key. Errors name the path and never quote the text.
func ReadKeyFile(projectDir, path string) (file string, text []byte, err error) {
	if file, err = ResolvePath(projectDir, path); err != nil {
		return "", nil, err
	}
	text, err = os.ReadFile(file)
	if block, rest := pem.Decode(text); block != nil && block.Type == "EC PARAMETERS" {
		text = rest
	}
	return file, text, err
}

// CheckKeyText reports why the text of a key file is not a private key that Strata reads, and the
// fix. Both are empty for a private key, also an encrypted one.
func CheckKeyText(text []byte) (rule, fix string) {
	var encrypted *ssh.PassphraseMissingError
	_, err := ssh.ParsePrivateKey(text)
	block, _ := pem.Decode(text)
	_, _, _, _, notPublic := ssh.ParseAuthorizedKey(text)
	switch {
	case err == nil || errors.As(err, &encrypted):
		return "", ""
	case notPublic == nil:
		return "is not a private key", "name the private key, not the .pub file"
	case block == nil:
		return "has no whole private key",
			"copy the key's file again, with its line breaks and from its line BEGIN to its line END"
	}
	// The parser's error is safe to show: it names the format and never the key.
	return "is a key that is not read: " + err.Error(), "make a key with ssh-keygen -t ed25519"
}

func checkBundle(ps *problems, key, projectDir, source string) {
	if source == SourceUpstream {
		return
	}
	dir, err := ResolvePath(projectDir, source)
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "manifest.json"))
	}
	if err != nil {
		ps.add(key, source, "is no bundle folder: manifest.json: "+reason(err),
			"assemble the bundle, or set upstream")
	}
}

// reason returns the cause of a file error without the path, because the problem shows the path
// already.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
