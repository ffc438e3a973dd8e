// Command mutants tests the tests of gates by mutation. It makes each small change to the code that
// judges, one at a time, and runs the tests that reach the change. A change is killed if a test
// fails. A change that survives is a fault that no test would notice. The command runs in the root
// of the repository, for all folders of health or, with -rooms, for some. `make test` tries all
// changes, because a random sample would find a survivor only in a later run. `make mutants` also
// records them (-write).
//
// All changes are compiled into the test binary of each package, each with a number (package
// choice). So a change costs a run of milliseconds, and no build. The packages on disk stay
// unchanged (go build's -overlay). gremlins, go-mutesting and ooze build again for each change,
// which would take hours here.
//
// These are changed: comparisons, to their opposite and by their boundary; && and ||; a negation;
// true and false; the condition of an if, a for or a case; an outcome (Ready, Waiting, Stuck,
// Skipped); a continue. Only functions of health and the folders below it are changed whose result
// depends on their arguments alone. Functions with a context observe, wait and connect, so
// tests/gates and the stories test them. Constructors and helpers of tests are not changed, nor is
// report.go, which only prints verdicts. The texts of verdicts are not changed, but the decision to
// print one is. The tests of the function's folder run, and those of the folders of health that
// import it.
//
// equivalents.txt names the changes that no test can notice, each with the reason. If a test
// notices one, or one no longer exists, the command fails. It also fails, with exit code 1, if
// another mutant survives. With -write it writes tests/gates/mutants.md and mutants_killed_ratio in
// bench/results.json.
package main
