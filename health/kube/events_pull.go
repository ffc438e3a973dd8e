package kube

import (
	"regexp"
	"strings"
	"time"
)

// wrongImage matches a registry's answers that trying again cannot help.
var wrongImage = regexp.MustCompile(`(?i)not found|manifest unknown|unauthorized|authorization failed|access denied|denied:|403 Forbidden|401 Unauthorized|no match for platform|repository does not exist`)

// answering are faults of a registry that the node does reach, and of the way there, which another
// pull may find gone.
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

// errPull and pullBackOff explain a container that waits after a failed pull. They take turns, and
// are one trouble.
const errPull, pullBackOff = "ErrImagePull", "ImagePullBackOff"

// judgePull judges a failed pull: a wrong name or missing rights are certain soon, a network may come
// back.
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

// backoffOf returns the kubelet's present delay: a measure of crashes in a row that, unlike the
// restart count, does not remember those of last month. It is zero if the message has none.
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

// innermostLength limits a nested error in a message; the evidence has all of it.
const innermostLength = 160

// Innermost returns the end of a nested error, from a colon on: the fault comes last.
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
