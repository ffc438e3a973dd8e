// Package labenv prepares the environment in which Pulumi runs in the lab: the PULUMI_HOME, the
// location of the state, and settings that prevent downloads. It creates the folders and the
// passphrase that the environment refers to. They are in the checkout's .strata, and only their
// owner can read them.
package labenv
