// Command mutants proves that the gates' tests notice when a judgement is changed: it makes every
// small change that turns one around, one at a time, runs the tests that come to it, and counts the
// change as killed when one of them fails. A change that survives is a lie that no test would
// notice. It runs in the root of the repository, for all folders of health or, with -rooms, for
// some: `make test` tries all changes, since what a drawn sample finds is found in another run than
// the one that brought it; `make mutants` records them as well (-write).
//
// All changes are compiled into each package's test binary, each behind a number (package choice), so that a run costs milliseconds and no
// build; the packages on disk are not touched (go build's -overlay). gremlins, go-mutesting and ooze build anew for each change: hours here.
//
// What is changed: comparisons, to their opposite and over their boundary; && and ||; a negation;
// true and false; the condition of an if, a for or a case; an outcome (Ready, Waiting, Stuck,
// Skipped); a continue. Where: in each function of health and of the folders below it that comes to
// its result from what it is given. Not in those that take a context: they observe, wait and
// connect, on real time, and tests/gates and the stories judge them; what they decide themselves,
// such as that a request has failed, is not counted. Not in constructors, nor in what tests alone
// use. report.go only prints verdicts. The texts of verdicts are no changes; whether one is said at
// all is. Who judges: the tests of the function's own folder, and those of the folders of health
// that import it.
//
// equivalents.txt names the changes that no test can notice, each with the reason. One that a test
// does notice, or that is no more, is an error. It exits with 1 if a mutant survives. With -write
// it writes tests/gates/mutants.md and mutants_killed_ratio in bench/results.json.
package main
