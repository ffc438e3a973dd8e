// Package pulumihome installs files into a PULUMI_HOME: the CLI, the Go language host, and resource
// plugins in the folders where the CLI finds them without a network
// (plugins/resource-NAME-vVERSION/pulumi-resource-NAME).
//
// A rename replaces each file, so that a running `pulumi` keeps the file that it started with.
// Files that the CLI itself writes into the folder do not change.
package pulumihome
