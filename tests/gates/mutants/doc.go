// Command mutants tests the tests of gates by mutation. It makes each small change (mutant) to the
// judge functions, one at a time, and runs the tests that reach it. A mutant is killed if a test
// fails. A mutant that survives is a fault that no test would notice. The command runs in the root
// of the repository, for all folders of health or, with -rooms, for some. `make test-long` tries
// all mutants, because a random sample would find a survivor only in a later run. `make mutants`
// also records the result (-write).
//
// All mutants are compiled into the test binary of each package, each with a number (package
// choice). So a mutant costs a run of milliseconds, and no build. The packages on disk stay
// unchanged (go build's -overlay). gremlins, go-mutesting and ooze build again for each mutant,
// which would take hours here.
//
// Mutants change comparisons (to the opposite, and at the boundary), && and ||, negations, true and
// false, conditions of if, for and case, outcomes (Ready, Waiting, Stuck, Skipped), and continue.
// They are in functions of health and its folders whose result depends on their arguments alone.
// Functions with a context observe, wait and connect: tests/gates and the stories test them.
// Constructors, helpers of tests, report.go, which only prints verdicts, and the texts of verdicts
// have no mutants. The tests of the mutant's folder run, and those of the folders of health that
// import this folder.
//
// equivalents.txt names the mutants that no test can notice, each with the reason. The command
// fails if a test kills a mutant in this list, if such a mutant does not exist, or, with exit code
// 1, if any other mutant survives. With -write it writes tests/gates/mutants.md and
// mutants_killed_ratio in bench/results.json.
package main
