// Package pulumihome lays out a PULUMI_HOME: the CLI with its Go language host, and resource
// plugins where the CLI looks for them without a network
// (plugins/resource-NAME-vVERSION/pulumi-resource-NAME).
//
// Files are exchanged one by one with a rename, so that a running `pulumi` keeps the one that it
// started with; the CLI's own files in the folder are left alone.
package pulumihome
