package config

import (
	"strconv"
	"time"
)

// override applies the environment variables of the script that Strata has replaced, so that its
// users' shells and pipelines keep working.
func (c *Config) override(getenv func(string) string) problems {
	var ps problems
	switch skip := getenv(SkipFinalWaitVariable); skip {
	case "":
	case "true":
		c.Apps.Validate = ValidateSkip
	case "false":
		c.Apps.Validate = ValidateFull
	default:
		ps.add(SkipFinalWaitVariable, skip, "is neither true nor false",
			"unset it, or use one of them")
	}
	if text := getenv(Wave2TimeoutVariable); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil {
			ps.add(Wave2TimeoutVariable, text, "is not a number of seconds",
				"write for example 300")
			return ps
		}
		c.Timeouts.Apply.Duration = time.Duration(seconds) * time.Second
	}
	return ps
}
