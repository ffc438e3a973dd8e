package remote

import "time"

// SetBeginWithin sets the timeout for the start of a script.
func (c *Client) SetBeginWithin(limit time.Duration) { c.beginWithin = limit }
