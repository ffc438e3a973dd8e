package config_test

// timeoutRules are cases for timeouts.
var timeoutRules = []rule{
	{"a timeout of zero", one("timeouts", `{"api":"0s"}`),
		"strata:timeouts.api: 0s is too short to wait for anything; use at least 1s, for example 5m"},
	{"a negative timeout", one("timeouts", `{"host":"-5m"}`),
		"strata:timeouts.host: -5m0s is too short to wait for anything; use at least 1s, for example 5m"},
	{"a timeout above the limit", one("timeouts", `{"nodes":"10h"}`),
		"strata:timeouts.nodes: 10h0m0s is longer than 2h0m0s; use a shorter time, for example 10m"},
}
