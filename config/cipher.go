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

// otherEncodings maps the first words of key files that neither x/crypto nor OpenSSH reads to the
// name of their format.
var otherEncodings = map[string]string{
	"PuTTY-User-Key-File-":                  "PuTTY",
	"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY": "SSH2",
}

// CheckUnread returns the rule and the fix for a private key that only another program can open,
// for example ssh-agent. Both are empty for every other text.
func CheckUnread(key []byte, file string, names SSHNames) (rule, fix string) {
	agent := names.Agent + " where an agent has it open"
	for words, encoding := range otherEncodings {
		if bytes.HasPrefix(key, []byte(words)) {
			return "is a key of " + encoding + ", which is not read", "run: puttygen " + file +
				" -O private-openssh -o NEW, and name NEW, or " + agent
		}
	}
	block, _ := pem.Decode(key)
	if block == nil {
		return "", ""
	}
	cipher, kind := sealOf(block)
	if strings.HasPrefix(kind, "sk-") {
		return "is a key of a security key (" + kind + "), which only ssh and its agent can use",
			"run: ssh-add " + file + ", and " + names.Agent
	}
	if cipher == "" || slices.Contains(readCiphers, cipher) {
		return "", ""
	}
	return "is encrypted with " + cipher + ", which is not read", "run: ssh-keygen -p " +
		"-Z aes256-ctr -f " + file + " (with the same passphrase), or " + agent
}

// sealOf returns the cipher of a private key, and the type of an OpenSSH key.
func sealOf(block *pem.Block) (cipher, kind string) {
	var head struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public               []byte
		Rest                 []byte `ssh:"rest"`
	}
	var public struct {
		Type string
		Rest []byte `ssh:"rest"`
	}
	body, _ := bytes.CutPrefix(block.Bytes, []byte("openssh-key-v1\x00"))
	switch {
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return "PKCS#8", ""
	case block.Type == "OPENSSH PRIVATE KEY" && ssh.Unmarshal(body, &head) == nil:
		_ = ssh.Unmarshal(head.Public, &public) // The type stays empty.
		return head.Cipher, public.Type
	}
	cipher, _, _ = strings.Cut(block.Headers["DEK-Info"], ",")
	return cipher, ""
}
