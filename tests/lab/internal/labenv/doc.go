// Package labenv is the environment in which Pulumi runs in the lab: which PULUMI_HOME, where the
// state is, and that nothing is downloaded. It creates the folders and the passphrase that the
// environment names, all in the checkout's .strata and readable by their owner only.
package labenv
