package tunnel

import "time"

// The first and the longest pause after a login that the jump host refused. Guards such as fail2ban
// and OpenSSH's PerSourcePenalties block clients that retry too soon.
const firstPause, longestPause = 2 * time.Second, 30 * time.Second

// backOff tracks the pause between failed logins. Each pause is twice as long as the previous one.
type backOff struct {
	pause time.Duration
	until time.Time
}

func (b *backOff) grow(now time.Time) {
	b.pause = min(max(2*b.pause, firstPause), longestPause)
	b.until = now.Add(b.pause)
}

// waits reports whether the current pause has yet to end.
func (b *backOff) waits(now time.Time) bool { return now.Before(b.until) }
