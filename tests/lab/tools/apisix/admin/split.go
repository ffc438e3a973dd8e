package admin

import "encoding/json"

// TrafficSplit is the plugin that leads a route's requests to several upstreams.
const TrafficSplit = "traffic-split"

// Split is its configuration.
type Split struct {
	Rules []SplitRule `json:"rules"`
}

// SplitRule are upstreams that share requests.
type SplitRule struct {
	WeightedUpstreams []WeightedUpstream `json:"weighted_upstreams"`
}

// WeightedUpstream is an upstream with its part. Without an id it is the route's own. A weight of 0
// has to be written: one that is left out is 1 (apisix/plugins/traffic-split.lua,
// upstreams_schema).
type WeightedUpstream struct {
	UpstreamID string `json:"upstream_id,omitempty"`
	Weight     int    `json:"weight"`
}

// UnmarshalJSON reads one with the plugin's default.
func (w *WeightedUpstream) UnmarshalJSON(text []byte) error {
	type plain WeightedUpstream
	read := plain{Weight: 1}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*w = WeightedUpstream(read)
	return nil
}
