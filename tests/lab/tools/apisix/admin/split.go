package admin

import "encoding/json"

// TrafficSplit is the name of the plugin that distributes a route's requests to several upstreams.
const TrafficSplit = "traffic-split"

// Split is the configuration of TrafficSplit.
type Split struct {
	Rules []SplitRule `json:"rules"`
}

// SplitRule is a list of upstreams that share requests.
type SplitRule struct {
	WeightedUpstreams []WeightedUpstream `json:"weighted_upstreams"`
}

// WeightedUpstream is an upstream and its weight. Without an id, it is the upstream of the route's
// service. A weight of 0 must be written, because the default is 1
// (apisix/plugins/traffic-split.lua, upstreams_schema).
type WeightedUpstream struct {
	UpstreamID string `json:"upstream_id,omitempty"`
	Weight     int    `json:"weight"`
}

// UnmarshalJSON reads a WeightedUpstream with the plugin's default weight of 1.
func (w *WeightedUpstream) UnmarshalJSON(text []byte) error {
	type plain WeightedUpstream
	read := plain{Weight: 1}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*w = WeightedUpstream(read)
	return nil
}
