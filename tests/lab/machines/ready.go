package machines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/host"
)

const (
	// sshPoll is the interval between attempts to connect to sshd. A machine gives no other signal
	// that it is ready.
	sshPoll = 50 * time.Millisecond
	// sshAttempt is the timeout of one SSH handshake.
	sshAttempt = 3 * time.Second
)

// waitSSH waits until sshd at addr has proved that it has the private half of key. It fails if the
// supervisor or ctx ends first.
func waitSSH(ctx context.Context, name string, addr netip.Addr, key ssh.PublicKey, ended <-chan struct{}) error {
	ticker := time.NewTicker(sshPoll)
	defer ticker.Stop()
	for {
		err := handshake(ctx, netip.AddrPortFrom(addr, 22).String(), key)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("machine %s ended before sshd answered; %s", name, consoleTail(name))
		case <-ctx.Done():
			return fmt.Errorf("machine %s: sshd at %s did not answer in time: %w; %s\n%s", name, addr,
				err, consoleTail(name), inside(name))
		case <-ticker.C:
		}
	}
}

// insideScript prints, for a machine that does not respond, the state of its network and its sshd.
const insideScript = `ip -brief address show dev host0; systemctl list-units --failed --plain --no-legend
systemctl show --property=Id,ActiveState,SubState,Result systemd-networkd.service ssh.service
journalctl --quiet --no-pager --lines 12 --output cat --unit systemd-networkd.service --unit ssh.service`

// inside returns the output of insideScript, run without the machine's network; empty if the
// machine does not run.
func inside(name string) string {
	pid := leader(name)
	if pid == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	out, err := host.Run(ctx, "nsenter", "--target", strconv.Itoa(pid), "--all", "--", "sh", "-c", insideScript)
	if err != nil {
		return "asking it from inside: " + err.Error()
	}
	return "its network and sshd, from inside:\n" + strings.TrimSpace(string(out))
}

// errVerified ends a handshake when the host key has been verified, because no login is needed.
var errVerified = errors.New("host key verified")

func handshake(ctx context.Context, addr string, key ssh.PublicKey) error {
	ctx, cancel := context.WithTimeout(ctx, sshAttempt)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return err
	}
	// The callback runs after the server's signature has been verified.
	var verdict error
	_, _, _, err = ssh.NewClientConn(conn, addr, &ssh.ClientConfig{
		User:              "strata",
		HostKeyAlgorithms: []string{key.Type()},
		HostKeyCallback: func(_ string, _ net.Addr, got ssh.PublicKey) error {
			verdict = errVerified
			if !bytes.Equal(got.Marshal(), key.Marshal()) {
				verdict = fmt.Errorf("sshd at %s has another host key (%s); is the address in use",
					addr, ssh.FingerprintSHA256(got))
			}
			return verdict
		},
	})
	if errors.Is(verdict, errVerified) {
		return nil
	}
	return errors.Join(verdict, err)
}

// waitSupervised waits until the machine has a supervisor.
func waitSupervised(ctx context.Context, name string) error {
	ticker := time.NewTicker(host.BusyPoll)
	defer ticker.Stop()
	for {
		if pid, err := supervisorPid(name); err != nil || pid != 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
