package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strata/health"
	"strata/health/observe"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/silence"
)

// redialPause is the pause before Stream connects again. It is short, because a host that boots may
// be back at any moment.
const redialPause = 100 * time.Millisecond

// Stream runs a probe script on a host until ctx ends, and reconnects while the host boots or after
// the connection is lost. It passes each observation to take, and each fault to trouble, so that no
// verdict is based on an old observation. It never runs take and trouble at the same time. The
// login and each line of the first connection count as progress (package silence). Later
// connections do not count, so that a probe that exits again and again is given up.
func Stream(ctx context.Context, host health.Host, key []byte, script string, take func(Block),
	trouble func(error)) {
	dialer := remote.Dialer{PrivateKey: key, Notify: func(err error) { trouble(&tryingError{err}) }}
	heard := func() { silence.Heard(ctx) }
	for ctx.Err() == nil {
		client, err := dialer.Dial(ctx, host.Target)
		if err == nil {
			heard()
			client.SetDeadAfter(remote.SoonDead)
			lines := Blocks{Take: take}
			err = client.Stream(ctx, script, nil, func(line string) {
				heard()
				lines.Line(line)
			})
			_ = client.Close() // the stream has ended; the next turn dials again
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("the probe ended")
		}
		trouble(err)
		heard = func() {}
		if errors.Is(err, remote.ErrSudoPassword) {
			<-ctx.Done() // More attempts could lock the user out.
			return
		}
		observe.Pause(ctx, redialPause)
	}
}

// tryingError wraps the error of an attempt that will be repeated, so that reach returns Waiting
// and no gate gives up. A host that boots may refuse a key until its users exist, and an ssh-agent
// may wait for a user's confirmation.
type tryingError struct{ cause error }

func (e *tryingError) Error() string { return e.cause.Error() }
func (e *tryingError) Unwrap() error { return e.cause }

// reach returns the verdict on a failed login to a host. Every other check of that host depends on
// the login.
func reach(check string, host health.Host, err error) health.Verdict {
	v := health.Verdict{Check: check, State: health.Waiting, Message: health.OneLine(err.Error())}
	var wrongKey *remote.HostKeyError
	var unpinned *remote.UnpinnedError
	var proxy *remote.ProxyError
	switch {
	case errors.As(err, &wrongKey):
		v.State, v.Cause = health.Stuck, "the host was reinstalled, or it is another one"
		v.Hint = "compare with ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub on the host, " +
			"then set its hostKey in hosts.nodes[].ssh or hosts.ssh.jump[], correct the file of " +
			"hosts.ssh.knownHosts, or recreate the host's -hostkey resource"
	case errors.As(err, &unpinned):
		v.State, v.Cause = health.Stuck, "whoever answers at the address would get sudo's password"
		v.Hint = "compare the key on the host, then set its hosts.nodes[].ssh.hostKey, or name a " +
			"file of known hosts in strata:hosts.ssh.knownHosts"
	case errors.Is(err, remote.ErrKeyRejected):
		v.State = health.Stuck
		v.Cause = "the public key is not in the user's authorized_keys, or the user does not exist"
		v.Hint = "ssh-copy-id to the host, or correct strata:hosts.ssh.user and keyFile"
	case errors.Is(err, remote.ErrLogin):
		v.State, v.Cause = health.Stuck, "sshd, or PAM behind it, is set up to refuse this login"
		v.Hint = "correct that on the host, or strata:hosts.ssh.user"
	case errors.Is(err, remote.ErrSudoPassword):
		v.State = health.Stuck
		v.Cause = "the sudo password is another one, or the user may not use sudo"
		v.Hint = "set it anew: pulumi config set --secret --path strata:hosts.ssh.sudoPassword; " +
			"on the host, sudo -l as the user says what is allowed"
	case errors.Is(err, remote.ErrAgent):
		v.State = health.Stuck
		v.Cause = "the ssh-agent of whoever runs this cannot be used"
		v.Hint = "run ssh-add -l; where it fails, start an agent and add the key, or set strata:hosts.ssh.keyFile"
	case errors.Is(err, remote.ErrForwarding):
		v.State, v.Cause = health.Stuck, "the jump host's sshd allows this user no forwarding"
		v.Hint = "set AllowTcpForwarding yes and, if it is there, PermitOpen in its sshd_config, " +
			"or take another jump host (strata:hosts.ssh.jump)"
	case errors.As(err, &proxy):
		if proxy.Missing {
			v.State = health.Stuck
		}
		v.Cause = "the ProxyCommand for this host ended or hangs, and sshd was not reached through it"
		v.Hint = "log in with ssh -F and the file of strata:hosts.ssh.config, which runs the same command; " +
			"where it fails, install or correct that"
	case errors.Is(err, remote.ErrSudo):
		v.State, v.Cause = health.Stuck, "the user may not become root without a password"
		v.Hint = "allow it in /etc/sudoers.d, set strata:hosts.ssh.sudoPassword, or log in as " +
			"root (strata:hosts.ssh.user)"
	case errors.Is(err, remote.ErrNotRun):
		v.State, v.Cause = health.Stuck, "something else than the user's shell answers the login"
		v.Hint = "end the forced command, the nologin shell or the expired password, or correct strata:hosts.ssh.user"
	default:
		v.Hint = fmt.Sprintf("check that %s is on, and its address %s and ssh.port in "+
			"strata:hosts.nodes", host.Name, host.DialAddress())
	}
	var trying *tryingError
	if errors.As(err, &trying) {
		v.State = health.Waiting
	}
	return v
}
