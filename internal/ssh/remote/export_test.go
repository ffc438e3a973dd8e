package remote

import "time"

// SetBeginWithin sets the bound of the wait for a script's begin.
func (c *Client) SetBeginWithin(limit time.Duration) { c.beginWithin = limit }
