// Package catalog defines the lab's build graph: the commands, images and charts with their
// versions and origins, and the steps that make the bundle and PULUMI_HOME of them. The packages
// build, gobuild, imagetar, chart, bundle and pulumihome implement the steps.
package catalog
