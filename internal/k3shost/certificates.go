package k3shost

import (
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"path"
	"slices"
	"strings"
	"time"
)

// RenewWithin is the last part of a certificate's life, in which a restart of K3s renews it. All
// releases renew a certificate in its last 90 days; newer ones already in its last 120 (k3s-io/k3s
// pkg/daemons/config/types.go, CertificateRenewDays).
const RenewWithin = 90 * 24 * time.Hour

// CertificatesFunction defines a shell function, certificates, whose output First reads:
// a line for each of K3s's own certificates on the host, certificate=FILE DER, in base64. It needs
// no openssl on the host. It leaves out CAs, which a restart does not renew.
//
//go:embed certificates.sh
var CertificatesFunction string

// Certificate is one of K3s's own certificates on a host.
type Certificate struct {
	// File is the file's name without its folder.
	File string
	// Ends is the time at which the certificate expires.
	Ends time.Time
}

// First returns the certificate that expires first. lines are the output lines of the shell
// function certificates, without "certificate=". ok is false if no line can be parsed.
func First(lines []string) (first Certificate, ok bool) {
	var all []Certificate
	for _, line := range lines {
		file, text, _ := strings.Cut(line, " ")
		der, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			continue
		}
		if parsed, err := x509.ParseCertificate(der); err == nil && !parsed.IsCA {
			all = append(all, Certificate{path.Base(file), parsed.NotAfter.UTC()})
		}
	}
	if len(all) == 0 {
		return Certificate{}, false
	}
	return slices.MinFunc(all, func(a, b Certificate) int { return a.Ends.Compare(b.Ends) }), true
}
