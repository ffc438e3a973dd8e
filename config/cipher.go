package config

import (
	"bytes"
	"encoding/pem"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// readCiphers are the ciphers of private keys that x/crypto and crypto/x509 can open.
var readCiphers = []string{
	"none", "aes256-ctr", "aes256-cbc", "DES-CBC", "DES-EDE3-CBC", "AES-128-CBC", "AES-192-CBC",
	"AES-256-CBC",
}

// UnreadCipher returns the cipher of a private key that only OpenSSH can open. It is empty for
// every other text.
func UnreadCipher(key []byte) string {
	block, _ := pem.Decode(key)
	if block == nil {
		return ""
	}
	cipher, _, _ := strings.Cut(block.Headers["DEK-Info"], ",")
	var head struct {
		Cipher string
		Rest   []byte `ssh:"rest"`
	}
	body, _ := bytes.CutPrefix(block.Bytes, []byte("openssh-key-v1\x00"))
	switch {
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return "PKCS#8"
	case block.Type == "OPENSSH PRIVATE KEY" && ssh.Unmarshal(body, &head) == nil:
		cipher = head.Cipher
	}
	if cipher == "" || slices.Contains(readCiphers, cipher) {
		return ""
	}
	return cipher
}

// Convert returns the command that re-encrypts a private key with a cipher that Strata can read.
// The command asks for the passphrase, which may stay the same.
func Convert(file string) string { return "ssh-keygen -p -Z aes256-ctr -f " + file }
