package support

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"strata/actions/cluster/kubeconfig"
	"strata/actions/hosts/inventory"
	"strata/cli/stackhealth"
	"strata/cli/version"
	"strata/config"
	"strata/health/api"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

//go:embed host.sh
var hostScript string

// Request selects the sources of an archive.
type Request struct {
	// Stack is the stack's name, Project its folder, and File the stack file. OwnFile is true if
	// File is not the project's default file.
	Stack, Project, File string
	OwnFile              bool
	// Limit bounds each source; all are read in parallel.
	Limit time.Duration
	// GateTimeout bounds each gate.
	GateTimeout time.Duration
	// Pulumi runs Pulumi's command line, which reads the state and decrypts the values of the stack
	// file.
	Pulumi stackstate.Pulumi
}

// known holds the facts that were read first and that the sources need: the state, its gates, the
// stack file and the redactor.
type known struct {
	state *stackstate.State
	gates []inventory.Gate
	file  stackFile
	hide  redactor
}

// Collect reads all sources. It fails if the stack's secrets cannot be read, because it could not
// remove unknown secrets. Any other failure is only listed in the archive.
func (r Request) Collect(ctx context.Context) (Archive, error) {
	reading, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	k, err := r.know(reading)
	if err != nil {
		return Archive{}, fmt.Errorf(
			"what is secret of stack %s cannot be read, and so not be taken out; nothing was collected: %w",
			r.Stack, err)
	}
	archive := Archive{Stack: r.Stack, At: time.Now().UTC()}
	var missing []Missing
	if k.gates, err = inventory.Gates(k.state); err != nil {
		missing = append(missing, Missing{"gates", err.Error()})
	}
	lease, err := inventory.OpenTunnel(reading, k.gates)
	if err != nil {
		missing = append(missing, Missing{"tunnel", err.Error()})
	}
	defer lease.Close()
	sources, absent := r.sources(ctx, k)
	missing = append(missing, absent...)
	for i, answer := range gather(ctx, sources, r.Limit) {
		for _, file := range answer.files {
			archive.add(File{file.Name, k.hide.redact(file.Content)})
		}
		if answer.err != nil {
			missing = append(missing, Missing{sources[i].name, answer.err.Error()})
		}
	}
	for _, one := range missing {
		archive.Missing = append(archive.Missing, Missing{one.Name, k.hide.text(one.Why)})
	}
	return archive, nil
}

// know reads the state and the stack's file with their secrets. The state is empty if the stack was
// never deployed.
func (r Request) know(ctx context.Context) (known, error) {
	k := known{state: &stackstate.State{}, file: readStackFile(r.Project, r.File)}
	var secret, plain []string
	export, err := r.Pulumi.Export(ctx, r.Stack, "--show-secrets")
	if err == nil {
		secret, plain, err = stackstate.Texts(export)
	}
	if err == nil {
		k.state, err = stackstate.Parse(export)
	}
	if err != nil && !errors.Is(err, stackstate.ErrNoStack) {
		return known{}, err
	}
	arguments := []string{"--stack", r.Stack}
	if r.OwnFile {
		// Pulumi runs in the project's folder, so the path must be absolute.
		file, err := filepath.Abs(r.File)
		if err != nil {
			return known{}, err
		}
		arguments = append(arguments, "--config-file", file)
	}
	configured, err := k.file.secrets(ctx, r.Pulumi, arguments...)
	if err != nil {
		return known{}, err
	}
	k.hide = newRedactor(secret, plain, configured)
	return k, nil
}

// sources returns all sources, and the files that are already known to be missing.
func (r Request) sources(ctx context.Context, k known) ([]source, []Missing) {
	var missing []Missing
	all := []source{
		singleFile("version.json", func(ctx context.Context) ([]byte, error) {
			info, err := version.Read(ctx)
			// Cannot fail: info holds only texts and lists.
			text, _ := json.MarshalIndent(info, "", "  ")
			return text, err
		}),
		singleFile("pulumi.txt", func(ctx context.Context) ([]byte, error) {
			return r.Pulumi(ctx, nil, "version")
		}),
		singleFile("stack.yaml", k.file.withoutSecrets),
		singleFile("state.txt", func(context.Context) ([]byte, error) {
			return stateText(k.state), nil
		}),
		{"health", r.health},
		{"runs", func(context.Context) ([]File, error) {
			return runs(r.Project, path.Base(r.Stack))
		}},
	}
	hosts, err := r.hosts(ctx, k)
	if err != nil {
		missing = append(missing, Missing{"hosts", err.Error()})
	}
	for _, host := range hosts {
		for _, warning := range host.Warnings {
			missing = append(missing, Missing{"hosts", warning})
		}
		all = append(all,
			singleFile("hosts/"+host.Host.Name+".txt",
				func(ctx context.Context) ([]byte, error) { return onHost(ctx, host) }))
	}
	cluster, err := r.cluster(k)
	if err != nil {
		missing = append(missing, Missing{"cluster", err.Error()})
	}
	return append(all, cluster...), missing
}

// health runs every gate, as `strata health` does, and returns its output.
func (r Request) health(ctx context.Context) ([]File, error) {
	question := stackhealth.Question{Stack: r.Stack, Project: r.Project, File: r.File,
		All:     true,
		Timeout: r.GateTimeout, TimeoutKey: "--gate-timeout"}
	var progress, table bytes.Buffer
	round, err := question.Ask(ctx, &progress)
	if err != nil {
		return nil, err
	}
	err = round.Write(&table, true)
	results, marshalErr := json.MarshalIndent(round.Gates, "", "  ")
	return []File{{"health.txt", table.Bytes()}, {"health.json", results}},
		errors.Join(err, marshalErr,
			round.Unknown())
}

// hosts returns the hosts that the state's gates observe. If the state has no gate, it returns the
// existing hosts of the stack file.
func (r Request) hosts(ctx context.Context, k known) ([]inventory.Host, error) {
	var hosts []inventory.Host
	for _, gate := range k.gates {
		for _, host := range gate.Spec.Hosts {
			same := func(other inventory.Host) bool { return other.Host.Name == host.Name }
			if len(gate.Secrets.SSHKey) > 0 && !slices.ContainsFunc(hosts, same) {
				hosts = append(hosts, inventory.Host{Host: host, Key: gate.Secrets.SSHKey})
			}
		}
	}
	if len(hosts) > 0 {
		return hosts, nil
	}
	cfg, err := config.OfStack(r.Project, r.Stack, r.File)
	if err != nil || cfg.OnExistingCluster() || cfg.Hosts.Driver != config.DriverExisting {
		return nil, err
	}
	return inventory.Hosts(ctx, cfg, r.Project)
}

// onHost runs hostScript on a host and returns its output: the states and journals of the host's
// units. If ctx ends during the script, it returns the output received so far and an error.
func onHost(ctx context.Context, host inventory.Host) ([]byte, error) {
	result, err := remote.Run(ctx, host.Host.Target, host.Key, hostScript)
	return result.Stdout, err
}

// cluster returns a source for each list of the stack's cluster.
func (r Request) cluster(k known) ([]source, error) {
	var text []byte
	var servers []string
	for _, gate := range k.gates {
		if len(gate.Secrets.Kubeconfig) == 0 {
			continue
		}
		text = gate.Secrets.Kubeconfig
		if gate.Spec.Kind() == api.Kind && !gate.Spec.Existing {
			servers = gate.Spec.Servers
		}
	}
	if text == nil {
		cfg, err := config.OfStack(r.Project, r.Stack, r.File)
		if err != nil {
			return nil, err
		}
		if !cfg.OnExistingCluster() {
			return nil, errors.New("the state has no kubeconfig: no up has got to the cluster's first gate")
		}
		target, err := kubeconfig.ForStack(cfg, r.Project)
		if err != nil {
			return nil, err
		}
		text = target.Text
	}
	return clusterSources(text, servers)
}
