// Package catalog lists the lab's builds: the commands, images and charts at their versions, the
// origin of each, and how they become the bundle and PULUMI_HOME. It holds decisions and no
// mechanism; those are in build, gobuild, imagetar, chart, bundle and pulumihome.
package catalog
