package config

import (
	"reflect"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longestTimeout is longer than any wait that could still succeed. A longer timeout is a typing
// error, such as hours for minutes.
const longestTimeout = 2 * time.Hour

func (c *Config) checkTimeouts(ps *problems) {
	timeouts := reflect.ValueOf(c.Timeouts)
	for name, index := range fieldsOf(timeouts.Type()) {
		timeout := timeouts.Field(index).Interface().(metav1.Duration).Duration
		key := field("timeouts.%s", name)
		switch {
		case timeout < time.Second:
			ps.add(key, timeout.String(), "is too short to wait for anything",
				"use at least 1s, for example 5m")
		case timeout > longestTimeout:
			ps.add(key, timeout.String(), "is longer than "+longestTimeout.String(),
				"use a shorter time, for example 10m")
		}
	}
}

func (c *Config) checkArtifacts(ps *problems) {
	source := c.Artifacts.Source
	key := field("artifacts.source")
	switch {
	case strings.TrimSpace(source) == "":
		ps.add(key, "", "is empty", "set upstream, or the path of a bundle folder")
	case strings.Contains(source, "://"):
		ps.add(key, source, "is a URL", "set upstream, or the path of a bundle folder on this machine")
	}
	c.checkMirror(ps)
}
