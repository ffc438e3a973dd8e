package kube

import (
	"regexp"
	"strings"
	"time"
)

// wrongImage matches answers of a registry that will not change if the pull is repeated.
var wrongImage = regexp.MustCompile(`(?i)not found|manifest unknown|unauthorized|authorization failed|access denied|denied:|403 Forbidden|401 Unauthorized|no match for platform|repository does not exist`)

// answering maps pull errors that may be gone at the next pull to their causes.
var answering = []struct {
	words *regexp.Regexp
	cause string
}{
	{regexp.MustCompile(`429|toomanyrequests`),
		"the registry limits how often it may be asked: log in to it, use a mirror, or wait"},
	{regexp.MustCompile(`x509: `), "the node does not trust the registry's certificate"},
	{regexp.MustCompile(`no such host|server misbehaving`),
		"the node cannot resolve the registry's name, and the image is not preloaded"},
	{regexp.MustCompile(`no space left on device`), "the node's disk is full"},
}

// errPull and pullBackOff are the reasons of a container that waits after a failed pull. They
// alternate, and count as the same fault.
const errPull, pullBackOff = "ErrImagePull", "ImagePullBackOff"

// judgePull judges a failed pull. A wrong name or missing rights are Stuck after wrongPulls or
// wrongSeconds. A network fault may pass, so it is Stuck only after networkPulls.
func (t *trouble) judgePull(c containerFacts, seconds int) {
	t.text = "container " + c.Name + ": " + c.Reason + ": " + Innermost(c.Message)
	if wrongImage.MatchString(c.Message) {
		t.cause = "the registry does not give out image " + c.Image
		t.stuckIf(c.Pulls >= wrongPulls || seconds >= wrongSeconds)
		return
	}
	t.cause = "the node cannot reach the registry of image " + c.Image +
		", and the image is not preloaded"
	for _, known := range answering {
		if known.words.MatchString(c.Message) {
			t.cause = known.cause + " (image " + c.Image + ")"
		}
	}
	t.stuckIf(c.Pulls >= networkPulls)
}

// backoffText matches the delay in the kubelet's "back-off 40s restarting failed container=…".
var backoffText = regexp.MustCompile(`back-off ([0-9hms]+) restarting`)

// backoffOf returns the kubelet's delay before the next restart; zero if the message has none. The
// delay grows only with crashes in a row; the restart count also includes older crashes.
func backoffOf(message string) time.Duration {
	match := backoffText.FindStringSubmatch(message)
	if match == nil {
		return 0
	}
	delay, err := time.ParseDuration(match[1])
	if err != nil {
		return 0
	}
	return delay
}

// innermostLength limits a nested error in a message, in bytes; the evidence has all of it.
const innermostLength = 160

// Innermost shortens a nested error to innermostLength bytes. It cuts at colons from the left,
// because the actual fault comes last. Text without a colon stays as it is.
func Innermost(text string) string {
	for len(text) > innermostLength {
		_, rest, found := strings.Cut(text, ": ")
		if !found {
			return text
		}
		text = rest
	}
	return text
}
