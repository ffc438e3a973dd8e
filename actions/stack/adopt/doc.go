// Package adopt makes way for what an up creates in a cluster of ours that has it already.
//
// A killed up leaves objects and Helm releases that the state does not know, and a killed down
// leaves a living cluster whose objects have left the state. Every later up would end with "already
// exists" for ever. Before each create this package reads whether the object is there: one that the
// same program made is adopted, one of another program is refused (docs/adr/0023). It deletes no
// object, so no namespace and no data: of a Helm release it drops the record, over whose objects
// Helm then installs.
package adopt
