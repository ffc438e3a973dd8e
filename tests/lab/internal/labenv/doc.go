// Package labenv is the environment in which Pulumi runs in the lab: its PULUMI_HOME, the place of
// the state, and a ban of downloads. It creates the folders and the passphrase that the environment
// names, all in the checkout's .strata and readable by their owner only.
package labenv
