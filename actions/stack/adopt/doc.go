// Package adopt lets an update create objects that its own cluster has already.
//
// A killed update leaves objects and Helm releases that the state does not know. A killed destroy
// leaves a living cluster whose objects have left the state. Every later update would end with
// "already exists". Before each create this package reads whether the object is there: one that the
// same program made is adopted, one of another program is refused (docs/adr/0023). It deletes no
// object, so no namespace and no data: of a Helm release it drops the record, over whose objects
// Helm then installs.
package adopt
