package cli

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"strata/actions/hosts/reach"
	"strata/cli/scaffold"
	"strata/config"
)

// initFlags are the flags of `strata init`.
type initFlags struct {
	hosts, jump            []string
	user, key, config, k3s string
	project, known         string
	port                   int
	agent, acceptNew       bool
	cgroupV1, localState   bool
	timeout                time.Duration
}

// newInitCommand returns `strata init`. It exits with 0 if the file was written, and with 1 if a
// host has a problem. It exits with 2 if the command is wrong or the file exists already.
func newInitCommand() *cobra.Command {
	var flags initFlags
	command := &cobra.Command{
		Use:   "init STACK [--local-state] [--host [USER@]ADDRESS[:PORT]] ...",
		Short: "Log in to hosts, read what is there, and write a stack file that proposes roles, networks and a free range",
		Long: "It changes nothing on a host, and writes Pulumi.STACK.yaml only where there is none and no host has a problem. It logs in to no host whose\n" +
			"key known_hosts does not have: it prints the fingerprints, and --accept-new goes on once you have compared them. A key's passphrase is read from\n" +
			reach.PassphraseVariable + ", and what sudo asks for from " + reach.SudoPasswordVariable + "; neither is written.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.localState && len(flags.hosts) == 0 {
				return flags.initState(cmd, args[0])
			}
			request, err := flags.request(args[0])
			if err == nil {
				err = request.Check()
			}
			printWarnings(cmd, request.Warnings())
			chosen, wrong := flags.stateChosenBy()
			if err := errors.Join(err, wrong); err != nil {
				return &exitError{2, fmt.Errorf("init: nothing was written:\n%w", err)}
			}
			result, err := request.Run(cmd.Context())
			if err != nil {
				return fmt.Errorf("init: nothing was written:\n%w", err)
			}
			if err := result.Write(cmd.OutOrStdout()); err != nil {
				return err
			}
			env, err := flags.prepareState(cmd, chosen)
			if err != nil {
				return err
			}
			return result.WriteNext(cmd.OutOrStdout(), env)
		},
	}
	command.Flags().StringSliceVar(&flags.hosts, "host", nil, "[USER@]ADDRESS[:PORT] of a host; once for each, or separated by commas")
	command.Flags().StringVar(&flags.user, "user", "", "who logs in to hosts that name no user (default what --ssh-config says, or else root); anything but root needs sudo")
	command.Flags().IntVar(&flags.port, "port", 0, "sshd's port on hosts that name none (default what --ssh-config says, or else 22)")
	command.Flags().StringVar(&flags.key, "key", "", "the private key that logs in (default what --ssh-config says, or none with --agent, or else "+config.DefaultKeyFile+")")
	command.Flags().BoolVar(&flags.agent, "agent", false, "offer the keys of the ssh-agent as well")
	command.Flags().StringSliceVar(&flags.jump, "jump", nil, "[USER@]HOST[:PORT] of the jump hosts, the first one first, as ssh -J has them; known_hosts must have their keys")
	command.Flags().StringVar(&flags.config, "ssh-config", "", "the file as ssh_config(5) has it that says how hosts are reached, such as ~/.ssh/config (default none is read)")
	command.Flags().StringVar(&flags.k3s, "k3s-version", config.K3sVersion, "K3s's release (vX.Y.Z+k3sN)")
	command.Flags().BoolVar(&flags.cgroupV1, "allow-cgroup-v1", false, "write the kubelet-arg with which K3s v1.35 and later run on hosts with cgroup v1")
	command.Flags().StringVar(&flags.known, "known-hosts", "",
		"the file of known host keys (default UserKnownHostsFile of --ssh-config, "+
			"or else ~/.ssh/known_hosts; and /etc/ssh/ssh_known_hosts)")
	command.Flags().BoolVar(&flags.acceptNew, "accept-new", false, "log in to hosts whose keys known_hosts does not have, and pin the keys that they show")
	command.Flags().BoolVar(&flags.localState, "local-state", false,
		"keep Pulumi's state and its passphrase in ~/.strata (default asks "+
			"on a terminal where neither is chosen); without --host it prepares these alone")
	command.Flags().StringVar(&flags.project, "project", ".", "the project's folder")
	command.Flags().DurationVar(&flags.timeout, "timeout", preflightTimeout, silenceUsage)
	return command
}

// request converts the flags to a request. Its error joins all mistakes in the flags.
func (f initFlags) request(stack string) (*scaffold.Request, error) {
	request := &scaffold.Request{Stack: stack, Project: f.project, Limit: f.timeout, K3s: f.k3s, CgroupV1: f.cgroupV1, AcceptNew: f.acceptNew}
	f = f.byDefault()
	var wrong []error
	for _, text := range f.hosts {
		host, err := scaffold.ParseHost(text, f.user, f.port)
		request.Hosts, wrong = append(request.Hosts, host), append(wrong, err)
	}
	var err error
	request.SSH, err = f.ssh()
	wrong = append(wrong, err)
	own, err := config.ResolvePath(f.project, ownKnownHosts)
	wrong = append(wrong, err)
	request.Known, err = scaffold.ReadKnownHosts(f.known, own, scaffold.GlobalKnownHosts)
	return request, errors.Join(append(wrong, err)...)
}

// byDefault returns the flags with their defaults. With --ssh-config, it sets no defaults, because
// the ssh_config may set the values.
func (f initFlags) byDefault() initFlags {
	if f.config != "" {
		return f
	}
	f.user, f.port = cmp.Or(f.user, config.DefaultUser), cmp.Or(f.port, config.DefaultPort)
	if !f.agent {
		f.key = cmp.Or(f.key, config.DefaultKeyFile)
	}
	return f
}

// ownKnownHosts is the path of the user's known_hosts file.
const ownKnownHosts = "~/.ssh/known_hosts"

// ssh returns the section hosts.ssh of the stack file.
func (f initFlags) ssh() (config.SSH, error) {
	ssh := config.SSH{Agent: f.agent}
	var wrong []error
	for _, text := range f.jump {
		jump, err := scaffold.ParseJump(text)
		ssh.Jump, wrong = append(ssh.Jump, jump), append(wrong, err)
	}
	for into, named := range map[*string]string{&ssh.KeyFile: f.key, &ssh.Config: f.config, &ssh.KnownHosts: cmp.Or(f.known, ownKnownHosts)} {
		if named == "" {
			continue
		}
		path, err := scaffold.PathInStack(f.project, named)
		*into, wrong = path, append(wrong, err)
	}
	return ssh, errors.Join(wrong...)
}
