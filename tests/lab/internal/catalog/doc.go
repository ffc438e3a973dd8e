// Package catalog lists the lab's builds: the commands, images and charts with their versions and
// origins, and how they become the bundle and PULUMI_HOME. It holds the decisions only; the
// mechanisms are in build, gobuild, imagetar, chart, bundle and pulumihome.
package catalog
