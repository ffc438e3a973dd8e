// Package stackhealth asks every gate of a stack again, and holds what the state has against what
// the configuration asks for (docs/adr/0018): a gate that no up got to is missing, and is not open.
// Verify asks at the end of a run the gates that no step of it ran (docs/adr/0066).
//
// It owns which gates are asked, and the table, summary and metrics of a round. It does not own how
// a gate observes or judges (package health), nor which gates a configuration makes (package
// platform).
//
// It changes nothing. Each gate is bounded, and a gate that cannot be asked is a result like any
// other.
package stackhealth
