// Command mutants proves that the gates' tests notice a changed judgement. It makes every small
// change that reverses one, one at a time, and runs the tests that reach it. It counts the change
// as killed if one of them fails. A change that survives is a fault that no test would notice. It
// runs in the root of the repository, for all folders of health or, with -rooms, for some. `make
// test` tries all changes, because a random sample would find a survivor only in a later run. `make
// mutants` also records them (-write).
//
// All changes are compiled into each package's test binary, each behind a number (package choice).
// So a run costs milliseconds and no build. The packages on disk stay unchanged (go build's
// -overlay). gremlins, go-mutesting and ooze build anew for each change, which would take hours
// here.
//
// Changed are comparisons, to their opposite and over their boundary; && and ||; a negation; true
// and false; the condition of an if, a for or a case; an outcome (Ready, Waiting, Stuck, Skipped);
// a continue. They are made in each function of health and of the folders below it whose result
// depends on its arguments alone. Functions that take a context are left out: they observe, wait
// and connect, on real time, and tests/gates and the stories judge them. Constructors and helpers
// of tests are left out too. report.go only prints verdicts. The texts of verdicts are not changed,
// but whether one appears is. The tests of the function's own folder judge it, and those of the
// folders of health that import it.
//
// equivalents.txt names the changes that no test can notice, each with the reason. It is an error
// if a test notices one, or if one no longer exists. The command exits with 1 if a mutant survives.
// With -write it writes tests/gates/mutants.md and mutants_killed_ratio in bench/results.json.
package main
