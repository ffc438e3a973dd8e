package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"strata/actions/hosts/reach"
	"strata/cli/preflight"
	"strata/config"
	"strata/health"
	"strata/internal/ssh/silence"
)

// Request describes the desired stack file.
type Request struct {
	Stack string
	// Project is the path of the project's folder. Run writes the file there.
	Project string
	Hosts   []Asked
	// SSH is hosts.ssh of the file: KeyFile, Agent, Config, Jump, and KnownHosts for the jump
	// hosts. Check completes it.
	SSH   config.SSH
	Known KnownHosts
	// AcceptNew allows a login to hosts whose key is in no known_hosts file, and pins the key that
	// they show. Default false.
	AcceptNew bool
	// K3s is k3s.version; empty for the pinned version. Set it if a host cannot run the pinned
	// version.
	K3s string
	// CgroupV1 lets kubelets run on hosts with cgroup v1. Kubelets of K3s v1.35 and later refuse
	// such hosts by default.
	CgroupV1 bool
	// Limit bounds the time without progress in each of three parts: reading the hosts, probing the
	// range, and the preflight of the proposal.
	Limit time.Duration

	// ways holds the route and login to each host, and known the known keys of each host, in the
	// order of Hosts. Check sets them.
	ways  []reach.Host
	known []KnownHosts
}

// Result describes the file that was written.
type Result struct {
	File     string
	Proposal Proposal
	// Later holds those findings of the preflight that may pass later without a change by the user.
	Later Problems
}

// stackName matches a stack name, without organisation and project, that Pulumi accepts.
var stackName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// CheckStackName returns an error if Pulumi would refuse the name.
func CheckStackName(stack string) error {
	if !stackName.MatchString(stack) {
		return fmt.Errorf("stack %q: use at most 100 letters, digits, dashes, dots and underscores",
			stack)
	}
	return nil
}

// Check validates the request before any host is contacted. It also determines the route and login
// to each host, from files only.
func (r *Request) Check() error {
	var wrong []error
	if err := CheckStackName(r.Stack); err != nil {
		wrong = append(wrong, err)
	} else if _, err := os.Lstat(r.file()); err == nil {
		wrong = append(wrong, exists(r.file()))
	}
	if _, err := os.Stat(filepath.Join(r.Project, "Pulumi.yaml")); err != nil {
		wrong = append(wrong, fmt.Errorf(
			"%w: run it in the project's folder, or name that with --project", err))
	}
	if r.K3s != "" && !config.IsK3sVersion(r.K3s) {
		wrong = append(wrong,
			fmt.Errorf("--k3s-version %s: is not of the form vX.Y.Z+k3sN; write a release tag of K3s, for example %s",
				r.K3s, config.K3sVersion))
	}
	if len(r.Hosts) == 0 {
		wrong = append(wrong, errors.New(
			"no host is named; --host [USER@]ADDRESS[:PORT], once for each"))
	}
	named := map[string]bool{}
	for _, host := range r.Hosts {
		if named[host.Address] {
			wrong = append(wrong, fmt.Errorf("--host %s: is named twice", host.Address))
		}
		named[host.Address] = true
	}
	if key := r.checkKey(); key != nil {
		wrong = append(wrong, key)
	} else {
		wrong = append(wrong, r.reachAll())
	}
	return errors.Join(wrong...)
}

// checkKey checks the private key against the configuration's rules.
func (r *Request) checkKey() error {
	return r.openSSH().CheckKeyFile("--key", r.Project, flagNames)
}

// openSSH returns the login settings with the passphrase in plain text. The stack file only has it
// encrypted.
func (r *Request) openSSH() config.SSH {
	ssh := r.SSH
	ssh.Passphrase = os.Getenv(reach.PassphraseVariable)
	return ssh
}

func (r *Request) file() string { return config.StackFile(r.Project, r.Stack) }

func exists(file string) error {
	return fmt.Errorf(
		"%s is there already, and is not overwritten; choose another name for the stack, or move the file away", file)
}

// Run reads the hosts, makes the proposal and writes the file. Check must have passed. If hosts do
// not meet the requirements, the error is Problems and no file is written.
func (r *Request) Run(ctx context.Context) (*Result, error) {
	hosts, problems := runWithin(ctx, r.Limit, r.readAll)
	if len(hosts) == 0 {
		return nil, problems
	}
	proposal, wrong := propose(r.Stack, r.SSH, hosts)
	proposal.K3s, proposal.CgroupV1 = r.K3s, r.CgroupV1
	problems = append(problems, wrong...)
	if len(wrong) > 0 {
		return nil, problems
	}
	var none *Problem
	proposal.Pool, none = runWithin(ctx, r.Limit, func(ctx context.Context) (Pool, *Problem) {
		return askedPool(ctx, proposal.Subnet, hosts)
	})
	if none != nil {
		return nil, append(problems, *none)
	}
	text, err := proposal.Render()
	if err != nil {
		return nil, err
	}
	stuck, later, err := r.preflight(ctx, text, proposal.Nodes)
	if err != nil {
		return nil, errors.Join(problems.err(), err)
	}
	if problems = append(problems, stuck...); len(problems) > 0 {
		return nil, problems
	}
	return &Result{File: r.file(), Proposal: proposal, Later: later}, write(r.file(), text)
}

// runWithin calls part with a context that is cancelled once part has reported no progress
// (silence.Heard) for limit.
func runWithin[A, B any](
	ctx context.Context, limit time.Duration, part func(context.Context) (A, B),
) (A, B) {
	ctx, stop := silence.With(ctx, limit)
	defer stop()
	return part(ctx)
}

// preflight runs the stack's preflight on the proposal, and returns its problems. stuck are the
// problems that the user must fix; later are those that may pass without a change.
func (r *Request) preflight(ctx context.Context, text []byte, nodes []Node) (stuck, later Problems,
	err error) {
	cfg, err := config.OfText(r.Stack, r.file(), text)
	if err != nil {
		return nil, nil, fmt.Errorf("what was proposed is not valid, which is a mistake of this program: %w", err)
	}
	r.unlock(&cfg.Hosts)
	if unlike := r.unlike(cfg, nodes); len(unlike) > 0 {
		return unlike, nil, nil
	}
	findings, err := preflight.Stack(ctx, cfg, r.Project, r.Limit)
	for _, finding := range findings {
		switch finding.State {
		case health.Stuck:
			stuck = append(stuck, problemOf(finding))
		case health.Waiting:
			later = append(later, problemOf(finding))
		case health.Ready, health.Skipped, health.Missing: // nothing to report
		}
	}
	return stuck, later, err
}

// flagFixes holds the fixes of checks whose own hints name keys of a stack file. The user has no
// stack file yet, so these fixes name flags of init.
var flagFixes = map[string]string{
	"ssh": "init logged in there a moment ago: run this again",
	"cgroups": "add systemd.unified_cgroup_hierarchy=1 to its kernel's command line and reboot; or " +
		"give --k3s-version with a v1.34 release; or, while Kubernetes still has it, " +
		"--allow-cgroup-v1",
	"pool addresses": "run this again: it proposes others",
}

// problemOf converts a finding to a problem.
func problemOf(f preflight.Finding) Problem {
	if fix := flagFixes[f.Check]; fix != "" && f.State == health.Stuck {
		f.Hint = fix
	}
	return Problem{Host: f.Subject, What: f.Check + ": " + f.Message,
		Fix: joinTexts(f.Cause, f.Hint)}
}

func joinTexts(texts ...string) string {
	var said []string
	for _, text := range texts {
		if text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "; ")
}

// write creates the file. It fails if the file exists, because that may belong to a stack.
func write(path string, text []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if _, err := file.Write(text); err != nil {
		return err
	}
	// The mode must not depend on the umask: the file has no secret, and the stack's other users
	// must read it.
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	return file.Sync()
}
